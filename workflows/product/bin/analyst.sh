#!/bin/sh
# The product brief, from the notes of the counter and the answers of the person who started the run.
. scripts/desk.sh

notes=product/notes/counter.md
brief=docs/product/brief.md

about() {
  case $1 in
    'The trouble')
      answer trouble
      printf '\nCounted at the counter:\n\n'
      grep '^- ' "$notes" | head -n 2
      ;;
    'Who has it') printf '%s.\n' "$(answer customers)" ;;
    'What we offer')
      printf 'What they buy every day is ordered the evening before and lies ready at %s.' "$(answer first_shop)"
      if [ "$(answer takes_money)" = true ]; then
        printf ' It is paid for in advance, so that nobody waits at the till.'
      fi
      echo
      ;;
    'How we will know')
      printf 'By %s, fewer than one in twenty leaves without bread between seven and eight. Counted as for the notes, two mornings in a row.\n' "$(answer wanted_by)"
      ;;
    'What it is not') echo 'No delivery, no points, no way to pay at a table.' ;;
  esac
}

mkdir -p docs/product
fill templates/product-brief.template.md >"$brief"
printf '\nWritten on %s.\n' "$(today)" >>"$brief"
echo "The brief of “$(answer product)” is written: one page, with what was counted at the counter."
