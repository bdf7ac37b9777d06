#!/bin/sh
# The architecture: one part for each thing the requirements ask for.
. scripts/desk.sh

prd=docs/product/prd.md
architecture=docs/product/architecture.md

about() {
  case $1 in
    Parts)
      echo '- **Order page**: for regulars, on a telephone. Places and cancels orders.'
      echo '- **Shop screen**: orders of today by quarter of an hour; marks them as ready.'
      if [ "$(answer takes_money)" = true ]; then
        echo '- **Till**: takes the money and pays it back; the provider keeps every card number, we keep none.'
      fi
      echo "- **Order book**: the one place that knows every order, built for $(section "$prd" Limits | sed -n '2p')"
      ;;
    'Where data lives')
      echo 'Orders live in the order book for ninety days, then only their sums. Names and telephone numbers of regulars live there alone.'
      ;;
    'What happens when something is down')
      echo 'The shop screen prints the list of the morning at six: bread is handed out from paper if it must be. Without the till no order is taken.'
      ;;
    Decisions)
      echo '| Chosen | Instead of | To take back |'
      echo '|---|---|---|'
      echo '| One order book for all shops | one in each shop | hard: orders would have to be split |'
      echo '| A page | an app from a store | easy: the page stays beside it |'
      printf '| Begin with %s | all shops at once | easy |\n' "$(answer first_shop)"
      ;;
  esac
}

fill templates/architecture.template.md >"$architecture"
printf '\nDrawn up on %s for %s requirements.\n' "$(today)" "$(grep -c '^- \*\*R' "$prd")" >>"$architecture"
echo "The architecture has $(grep -c '^- \*\*' "$architecture") parts and three decisions, one of them hard to take back."
