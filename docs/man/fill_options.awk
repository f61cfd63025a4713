# fill_options.awk HELP PAGE: copies a manual page, with the lines '.\" OPTIONS' and '.\" COMMANDS' replaced by what the
# program says in --help (CLI11's layout: names from column 3, descriptions from column 31, on the next line if names are long, and in more lines
# if they are; of commands from column 17).
# So that an option is described in one place.

function trim(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }

# Text that no roff request can begin in.
function plain(text) {
  gsub(/\\/, "\\e", text)
  if (text ~ /^[.']/) text = "\\\\\\&" text
  return text
}

# "TEXT:{a,b}" and "UINT=20" in words.
function argument(type) {
  if (type ~ /:\{/) { sub(/^.*:\{/, "", type); sub(/\}.*$/, "", type); gsub(/,/, " | ", type); return type }
  sub(/[:=].*$/, "", type)
  return type ~ /INT|FLOAT/ ? "number" : tolower(type)
}

function item(left,    words, n, names, count, i, text, type, note) {
  n = split(left, words, " ")
  type = n > 1 && words[2] !~ /^(REQUIRED|Excludes:|Needs:)$/ ? words[2] : ""
  if (section == "Subcommands:") return ".It Cm " trim(left)
  if (section == "Positionals:") text = ".It Ar " tolower(words[1])
  else {
    count = split(words[1], names, ",")
    text = ".It"
    for (i = 1; i <= count; ++i) text = text (i > 1 ? " ," : "") " Fl " substr(names[i], 2)
    if (type != "") text = text " Ar " argument(type)
  }
  if (left ~ / \.\.\.( |$)/) text = text " ..."
  if (type ~ /^[A-Z]+=/) { note = type; sub(/^[^=]*=/, "", note); note = "The default is " note "." }
  if (left ~ / REQUIRED( |$)/ && section == "Options:") note = "Required."
  return text "\n" (note == "" ? "" : "@" note)
}

function finish() {
  if (head == "") return
  split(head, parts, "\n@")
  sub(/\n$/, "", parts[1])
  if (body != "" && body !~ /[.!?]$/) body = body "."
  entries[section] = entries[section] parts[1] "\n" (body == "" ? "" : plain(body) "\n") (parts[2] == "" ? "" : parts[2] "\n")
  head = body = parts[2] = ""
}

FNR == NR && /^[A-Z][A-Za-z]+:/ { finish(); section = $1; next }
FNR == NR && /^  [^ ]/ {
  finish()
  if (section !~ /^(Positionals|Options|Subcommands):$/) next
  if ($1 ~ /^-h,/) next
  if (section == "Subcommands:") { head = item(substr($0, 3, 14)); body = trim(substr($0, 17)); next }
  if (substr($0, 30, 1) == " " && substr($0, 31) ~ /^[^ ]/) { head = item(substr($0, 3, 27)); body = trim(substr($0, 31)) }
  else head = item(substr($0, 3))
  next
}
FNR == NR { if (head != "" && /^ +[^ ]/) body = trim(body " " trim($0)); else finish(); next }

FNR == 1 { finish() }
/^\.\\" OPTIONS$/ || /^\.\\" COMMANDS$/ {
  filling = /COMMANDS/ ? entries["Subcommands:"] : entries["Positionals:"] entries["Options:"]
  printf ".Bl -tag -width Ds\n%s.El\n", filling
  next
}
{ print }
