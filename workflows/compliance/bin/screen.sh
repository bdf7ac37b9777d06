#!/bin/sh
# The tool `screenSupplier`: looks for a name on the lists. Arguments as JSON on standard input, the answer as JSON.
set -eu
name=$(sed -n 's/.*"name" *: *"\([^"]*\)".*/\1/p')
row=$(grep -iF -- "$name," compliance/register/forbidden.csv || :)
if [ -n "$row" ]; then
  printf '{"listed": true, "why": "%s"}\n' "$(printf '%s\n' "$row" | head -n 1 | awk -F , '{ print $3 ": " $4 }')"
else
  printf '{"listed": false, "lists": %d}\n' "$(tail -n +2 compliance/register/forbidden.csv | cut -d , -f 3 | sort -u | wc -l)"
fi
