echo ${A:-b} ${#A} ${A//x/y} ${!A} "${arr[@]}" $((1 + $(id -u))) ~/x ~user {a,b}{1..3} $@ $?
A=b C=$D env -i PATH=/bin python3 -c 'import os; print(os.environ)'
