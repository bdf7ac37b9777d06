#!/bin/sh
# The requirements, and at the end the handover. The first draft of the requirements says nothing about risks, as drafts in a hurry do:
# the check against the template finds it, and the second attempt mends it. What a person asks for becomes a requirement.
. scripts/desk.sh

brief=docs/product/brief.md
prd=docs/product/prd.md
architecture=docs/product/architecture.md
handover=docs/product/handover.md

requirements() {
  n=1
  say() {
    printf '%s\n' "- **R$n** $1"
    n=$((n + 1))
  }
  say "A regular orders until ten in the evening for the next morning."
  say "An order names one shop, one quarter of an hour, and what is wanted of what that shop bakes."
  if [ "$(answer takes_money)" = true ]; then
    say "It is paid for when it is placed. What is cancelled by ten in the evening is paid back."
  fi
  say "The shop sees its orders by quarter of an hour, and marks one as ready."
  wishes >"$work/wishes"
  while IFS= read -r wish; do
    say "$wish (asked for by whoever read the last version)"
  done <"$work/wishes"
}

about() {
  case $1 in
    Goal) section "$brief" 'How we will know' | sed '/^$/d' ;;
    Requirements) requirements ;;
    Limits)
      printf '%s orders an hour at one shop; a placed order is confirmed within two seconds.\n' "$(answer orders_an_hour)"
      ;;
    'Out of scope') section "$brief" 'What it is not' | sed -e '/^$/d' -e '/^Written on/d' ;;
    Risks)
      # In a first draft there are none.
      [ "$(attempt)" -gt 1 ] || [ -s "$work/wishes.all" ] || return 0
      echo '- More is ordered than the oven bakes: a shop closes a quarter of an hour when it is full.'
      echo '- Somebody does not come: what is paid for lies ready until noon, then it is given away.'
      ;;
    'What is settled')
      grep '^- \*\*R' "$prd"
      ;;
    Documents)
      echo '| Document | SHA-256 |'
      echo '|---|---|'
      for document in "$brief" "$prd" "$architecture"; do
        sha256sum "$document" | awk '{ print "| " $2 " | `" $1 "` |" }'
      done
      ;;
    'What comes first') printf 'One shop, %s, by %s. Then the next one.\n' "$(answer first_shop)" "$(answer wanted_by)" ;;
  esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wishes >"$work/wishes.all"

case $GATEHOUSE_STEP in
  prd)
    fill templates/prd.template.md >"$prd"
    printf '\nVersion of %s.\n' "$(today)" >>"$prd"
    echo "$(grep -c '^- \*\*R' "$prd") requirements are written."
    ;;
  handover)
    fill templates/handover.template.md >"$handover"
    echo "The team has $(grep -c '^| docs/' "$handover") documents, each with the digest of what was approved."
    ;;
esac
