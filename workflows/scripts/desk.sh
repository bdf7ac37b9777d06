# What the scripts of the StepSpec samples share (product/bin, compliance/bin); they read it with `.`.
#
# A step's brief is JSON, one field a line (GATEHOUSE_BRIEF). What is read from it here are texts, numbers and yes or no.

set -eu
export LC_ALL=C

# answer NAME: what was answered when the run was started.
answer() {
  awk -v name="\"$1\":" '
    $0 == "  \"inputs\": {" { inside = 1; next }
    inside && /^  }/ { exit }
    inside && $1 == name { sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit }
  ' "$GATEHOUSE_BRIEF" | plain
}

# A JSON value as plain text.
plain() { sed -e 's/^"//' -e 's/"$//' -e 's/\\n/\n/g' -e 's/\\"/"/g' -e 's/\\\\/\\/g'; }

# Which attempt of this visit it is: 1, 2, …
attempt() { sed -n 's/^  "attempt": \([0-9]*\).*/\1/p' "$GATEHOUSE_BRIEF"; }

# What people have asked to be changed, one a line.
wishes() {
  awk '
    $0 == "  \"comments\": [" { inside = 1; next }
    inside && /^  ]/ { exit }
    inside { sub(/^ */, ""); sub(/,$/, ""); print }
  ' "$GATEHOUSE_BRIEF" | plain
}

# What the brief says of a tool that this step called, name, arguments and answer: told getCurrentTime
told() {
  awk -v name="\"name\": \"$1\"," '
    $0 == "  \"tools\": [" { inside = 1; next }
    inside && /^  ]/ { exit }
    inside && /^    {/ { call = ""; mine = 0 }
    inside { call = call $0 "\n"; if (index($0, name)) mine = 1 }
    inside && mine && /^    }/ { printf "%s", call; exit }
  ' "$GATEHOUSE_BRIEF"
}

# The day on which the step is carried out, as its tool says.
today() { told getCurrentTime | grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}' | head -n 1; }

# section FILE HEADING: what stands below a heading of a document.
section() {
  awk -v heading="## $2" '
    $0 == heading { inside = 1; next }
    /^## / { inside = 0 }
    inside
  ' "$1"
}

# fill TEMPLATE: the template, each heading followed by what the script says about it (`about HEADING`). `{{name}}` in the title stands
# for an answer. Notes to the author are left out, and so is a heading of which there is nothing to say.
fill() {
  sed -e 's/<!--.*-->//' "$1" | while IFS= read -r line; do
    case $line in
      '# '*'{{'*'}}'*)
        name=${line#*\{\{}
        name=${name%%\}\}*}
        printf '%s%s%s\n' "${line%%\{\{*}" "$(answer "$name")" "${line##*\}\}}"
        ;;
      '# '*) printf '%s\n' "$line" ;;
      '## '*)
        text=$(about "${line#\#\# }")
        [ -z "$text" ] || printf '\n%s\n\n%s\n' "$line" "$text"
        ;;
    esac
  done
}
