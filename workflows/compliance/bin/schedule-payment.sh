#!/bin/sh
# The tool `schedulePayment`: puts a payment into the bank's queue, a file here. It cannot be taken back, so its risk is high.
set -eu
order=$(cat)
receipt=R-$(printf '%s' "$order" | sha256sum | cut -c 1-12)
mkdir -p docs/compliance
printf '%s %s\n' "$receipt" "$order" >>docs/compliance/bank-queue.txt
printf '{"receipt": "%s"}\n' "$receipt"
