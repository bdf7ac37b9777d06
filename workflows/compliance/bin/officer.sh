#!/bin/sh
# Puts down what the screening found, and weighs it.
. scripts/desk.sh

desk=docs/compliance
register=compliance/register

about() {
  case $1 in
    Lists)
      if told screenSupplier | grep -q '"listed": true'; then
        echo "**$(answer supplier) stands on a list:** $(told screenSupplier | sed -n 's/^ *"why": "\(.*\)",\{0,1\}$/\1/p')"
      else
        echo "$(answer supplier) stands on none of the lists."
      fi
      ;;
    'Our register')
      grep "^$(answer supplier)," "$register/suppliers.csv" | awk -F , '{ print $1 ", " $2 ": " $4 " (since " $3 ")." }' | grep . || echo 'Not known to us.'
      ;;
    Result)
      if told screenSupplier | grep -q '"listed": true'; then echo 'Must not be paid.'; else echo 'Nothing forbids a payment.'; fi
      ;;
    'What could be wrong')
      echo '- The company is not the one that delivered.'
      echo '- The invoice is for something else than what was ordered.'
      wishes | sed 's/^/- /'
      ;;
    'What speaks against it') section "$desk/screening.md" Result | sed '/^$/d' ;;
    Conditions) echo 'The account is taken from the register, and the first delivery is weighed before the second payment.' ;;
  esac
}

case $GATEHOUSE_STEP in
  screening)
    fill templates/supplier-screening.template.md >"$desk/screening.md"
    section "$desk/screening.md" Result | sed '/^$/d'
    ;;
  assessment)
    fill templates/supplier-assessment.template.md >"$desk/assessment.md"
    echo "$(grep -c '^- ' "$desk/assessment.md") things could be wrong."
    ;;
esac
