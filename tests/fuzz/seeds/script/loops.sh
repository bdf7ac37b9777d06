for f in src/*.ts; do
  case $f in
    *.test.ts) continue ;;
    *) npm run lint -- "$f" || exit 1 ;;
  esac
done
while read -r line; do echo "$line"; done < input.txt
