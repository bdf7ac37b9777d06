#!/bin/sh
# The access review: accounts, people, and what does not fit.
. scripts/desk.sh

desk=docs/compliance
register=compliance/register
mkdir -p "$desk"

# Accounts with what is known of their owner: account, system, right, state (nothing for no owner).
joined() {
  awk -F , 'NR == FNR { state[$1] = $2; next } FNR > 1 { print $1 "\t" $2 "\t" $4 "\t" ($3 == "" ? "nobody" : state[$3]) }' \
    "$register/people.csv" "$register/accounts.csv"
}

rows() { joined | awk -F '\t' -v wanted="$1" '$4 ~ wanted { print "- `" $1 "` (" $2 ", " $3 "): " $4 }' | grep . || echo 'None.'; }

about() {
  case $1 in
    'Owners who have left' | Closed) rows '^left' ;;
    'Accounts without an owner') rows '^nobody' ;;
    'In order') rows '^employed' ;;
    Kept) rows '^(employed|nobody)' ;;
  esac
}

case $GATEHOUSE_STEP in
  collect)
    {
      printf '# Accounts: %s\n\nAs of %s.\n\n| Account | System | Right |\n|---|---|---|\n' "$(answer quarter)" "$(today)"
      joined | awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " |" }'
    } >"$desk/accounts.md"
    echo "$(joined | wc -l | tr -d ' ') accounts in $(joined | cut -f 2 | sort -u | wc -l | tr -d ' ') systems."
    ;;
  compare)
    fill templates/access-differences.template.md >"$desk/differences.md"
    echo "Accounts whose owner has left: $(rows "^left" | grep -c "^- " || :)."
    ;;
  decide)
    fill templates/access-withdrawn.template.md >"$desk/withdrawn.md"
    echo "What is closed and what is kept is put down."
    ;;
esac
