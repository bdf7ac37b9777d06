#!/bin/sh
# Checks every document in documents/inbox. Runs in the project's folder.
#
# Writes, into the run's own folder: check.md (for people), ready.sha256 (the documents that may be published, as they are
# now) and findings.txt (one line each: document, tab, what has to be mended). Reports a verdict for routing.
set -eu
export LC_ALL=C

inbox=documents/inbox
contacts=documents/public-contacts.txt
desk=$RUN_BASE/publish-a-folder
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$desk"
: >"$work/findings"

# The targets of a document's links inside this folder, one a line.
links() { grep -oE '\]\([^)[:space:]]+' "$1" | sed -e 's/^](//' -e 's/#.*//' | grep -vE '^$|^[a-z]+:' || :; }

# finding DOCUMENT SENTENCE
finding() { printf '%s\t%s\n' "$1" "$2" >>"$work/findings"; }

# Every line that matches is a finding with its number: matching DOCUMENT PATTERN SENTENCE
matching() {
  grep -nE "$2" "$inbox/$1" | sed 's/:.*//' | while read -r line; do finding "$1" "line $line: $3"; done
}

# Contacts of this form that are not public: private DOCUMENT PATTERN SENTENCE
private() {
  { grep -noE "$2" "$inbox/$1" || :; } | while IFS=: read -r line contact; do
    contact=$(printf '%s\n' "$contact" | sed 's/[[:space:]]*$//')
    grep -qxF -- "$contact" "$contacts" || finding "$1" "line $line: $3"
  done
}

count=0
: >"$work/documents"
for path in "$inbox"/*.md; do
  [ -f "$path" ] || continue
  name=${path##*/}
  case $name in
    *[!A-Za-z0-9._-]*)
      echo "The name of a document may hold letters, digits, dots and hyphens alone: $name" >&2
      exit 1
      ;;
  esac
  count=$((count + 1))
  echo "$name" >>"$work/documents"
  grep -v '^[[:space:]]*$' "$path" | head -n 1 | grep -q '^# .' || finding "$name" "it does not begin with a title"
  matching "$name" '(^|[^A-Za-z])(TODO|FIXME|TBD)([^A-Za-z]|$)' "an unfinished passage"
  private "$name" '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}' "a private mail address"
  private "$name" '\+[0-9][0-9 ()-]{6,}[0-9]' "a private telephone number"
  links "$path" | while read -r target; do
    case $target in
      /* | ../* | */../*) finding "$name" "a link leads out of the folder: $target" ;;
      *) [ -f "$inbox/$target" ] || finding "$name" "a link leads nowhere: $target" ;;
    esac
  done
done
if [ "$count" -eq 0 ]; then
  echo "There is no document (*.md) in $inbox" >&2
  exit 1
fi

# A document that links to one which stays behind would be published with a dead link.
settled=no
while [ "$settled" = no ]; do
  settled=yes
  cut -f 1 "$work/findings" | sort -u >"$work/behind"
  while read -r name; do
    grep -qxF -- "$name" "$work/behind" && continue
    target=$(links "$inbox/$name" | grep -xF -f "$work/behind" | head -n 1 || :)
    if [ -n "$target" ]; then
      finding "$name" "it links to $target, which needs work itself"
      settled=no
    fi
  done <"$work/documents"
done

: >"$work/ready"
{
  echo "# Check of the documents"
  echo
  echo "| Document | Title | Result |"
  echo "|---|---|---|"
  while read -r name; do
    title=$(sed -n 's/^# //p' "$inbox/$name" | head -n 1 | sed 's/|/\\|/g')
    wrong=$(awk -F '\t' -v name="$name" '$1 == name' "$work/findings" | wc -l)
    if [ "$wrong" -eq 0 ]; then
      sha256sum "$inbox/$name" >>"$work/ready"
      result=ready
    else
      result="**needs work** ($((wrong)))"
    fi
    echo "| $name | ${title:-–} | $result |"
    echo "$name: $result" | tr -d '*' >&2
  done <"$work/documents"
  if [ -s "$work/findings" ]; then
    echo
    echo "## What has to be mended"
    echo
    awk -F '\t' '{ print "- " $1 ": " $2 }' "$work/findings"
  fi
} >"$work/check.md"

ready=$(wc -l <"$work/ready")
if [ "$ready" -eq "$count" ]; then
  verdict=ALL_READY
elif [ "$ready" -gt 0 ]; then
  verdict=SOME_READY
else
  verdict=NONE_READY
fi
cp "$work/check.md" "$desk/check.md"
cp "$work/ready" "$desk/ready.sha256"
cp "$work/findings" "$desk/findings.txt"

# The documents themselves are named as artifacts, so that the gate shows them and keeps them as they were approved.
artifacts=$(sed 's/^[0-9a-f]*  //' "$work/ready" | sed 's/.*/"&"/' | paste -s -d , -)
printf '{"verdict": "%s", "documents": %d, "ready": %d, "artifacts": [%s], "output": "%d of %d documents are ready."}\n' \
  "$verdict" "$count" "$ready" "$artifacts" "$ready" "$count" >"$GATEHOUSE_REPORT"
