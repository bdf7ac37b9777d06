#!/bin/sh
# Writes the note that goes back to the authors, from what the check found. Runs in the project's folder.
set -eu
desk=$RUN_BASE/publish-a-folder
behind=$(cut -f 1 "$desk/findings.txt" | sort -u | wc -l)
{
  echo "# Note to the authors"
  echo
  if [ "$GATEHOUSE_STEP" = return_all ]; then
    echo "Nothing was published."
  else
    echo "These documents are not published with the others."
  fi
  if [ "$behind" -gt 0 ]; then
    echo
    awk -F '\t' '
      $1 != last { if (last != "") print ""; print "## " $1; print ""; last = $1 }
      { print "- " $2 }
    ' "$desk/findings.txt"
  fi
  echo
  echo "Mend them in documents/inbox and have them checked again."
} >"$desk/returned.md"
case $((behind)) in
  0) echo "The note says that nothing was published." ;;
  1) echo "The note is about one document." ;;
  *) echo "The note is about $((behind)) documents." ;;
esac
