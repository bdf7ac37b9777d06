#!/bin/sh
# Takes in the application and puts down what came of the payment.
. scripts/desk.sh

desk=docs/compliance

about() {
  case $1 in
    Who) printf '%s, registered in %s.\n' "$(answer supplier)" "$(answer country)" ;;
    'What for') printf '%s First payment: %s euros.\n' "$(answer purpose)" "$(answer amount)" ;;
    'Which rules apply')
      echo 'Rules 1, 2, 4 and 5 of [our policy](../../compliance/policy.md).'
      case $(answer country) in
        Norway | Sweden | Germany) [ "$(answer amount | cut -d . -f 1)" -le 10000 ] || echo 'Rule 3: two people decide.' ;;
        *) echo 'Rule 3: two people decide.' ;;
      esac
      ;;
    'What was released') printf '%s euros to %s, on %s.\n' "$(answer amount)" "$(answer supplier)" "$(today)" ;;
    'What the bank answered') printf 'It is in the queue, with the receipt `%s`.\n' "$(told schedulePayment | grep -oE 'R-[0-9a-f]{12}' | head -n 1)" ;;
  esac
}

mkdir -p "$desk"
case $GATEHOUSE_STEP in
  intake)
    fill templates/supplier-application.template.md >"$desk/application.md"
    echo "The application of $(answer supplier) is on one page."
    ;;
  payment)
    fill templates/supplier-payment.template.md >"$desk/payment.md"
    echo "The payment is in the bank's queue."
    ;;
esac
