#!/bin/sh
# Copies the documents that were checked and approved to documents/published, with their SHA-256 sums. Runs in the
# project's folder. A document that was changed after the check is not published: nobody has seen it.
set -eu
desk=$RUN_BASE/publish-a-folder
published=documents/published
if ! sha256sum --check --quiet "$desk/ready.sha256" >&2; then
  echo "A document was changed after it was checked. Start again, so that it is checked and seen." >&2
  exit 1
fi
mkdir -p "$published"
list=$desk/manifest.md
{
  echo "# Published documents"
  echo
  echo "| Document | State | SHA-256 |"
  echo "|---|---|---|"
} >"$list"
count=0
artifacts=
while read -r sum path; do
  name=${path##*/}
  state=new
  if [ -f "$published/$name" ]; then
    state=changed
    cmp -s "$path" "$published/$name" && state=unchanged
  fi
  # Beside its place and then renamed: a reader never sees half a document.
  cp "$path" "$published/.$name.unfinished"
  mv "$published/.$name.unfinished" "$published/$name"
  echo "| $name | $state | \`$sum\` |" >>"$list"
  echo "$name: $state"
  artifacts="$artifacts${artifacts:+, }\"$published/$name\""
  count=$((count + 1))
done <"$desk/ready.sha256"
# The sums of everything that is published, also by earlier runs.
(cd "$published" && sha256sum -- *.md >.SHA256SUMS && mv .SHA256SUMS SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
printf '{"published": %d, "artifacts": [%s, "%s"]}\n' "$count" "$artifacts" "$published/SHA256SUMS" >"$GATEHOUSE_REPORT"
