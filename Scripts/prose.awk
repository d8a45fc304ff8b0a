# Measures prose for Scripts/prose. Standard input has the files, one a line. Variables:
#   limits  the file of limits, one folder a line
#   mode    table: prints rates and limits. check: prints the breaches, and exits with status 1 if there is one.
#           tighten: prints limits that are at most the old ones
# Any awk runs it, in the C locale: text is bytes.

BEGIN {
    add("what whatever who whom whose whoever", "nouns")
    add("not no none nothing nobody never neither nor without", "negations")
    add("you your yours", "you")
    # Up to these rates, a text is as plain as the guides of GRDB and Alamofire. Limits don't go below.
    target["nouns"] = 3; target["negations"] = 12; target["you"] = 9; target["long"] = 2
    describe("nouns", "of what or who per 1,000 words", "Name the thing: \"the server's value\".")
    describe("negations", "negations per 1,000 words", "Say what is or happens, and where the limits are.")
    describe("you", "of you or your per 1,000 words", "Address the reader: \"You save the context\".")
    describe("long", "% of the sentences have over 30 words", "Write one idea per sentence, in 20 words.")
    describe("words", "words of comments", "Delete what the code shows; keep reasons, units, ranges and sources.")
    n = split("nouns negations you long words", measures, " ")

    while ((getline line < limits) > 0) readLimits(line)
    while ((getline file) > 0) measureFile(file)
    for (i = 1; i <= folderCount; i++) rate(folders[i])
    if (mode == "check") { check(); exit failed }
    if (mode == "tighten") tighten(); else table()
}

function add(words, kind,    list, i) { for (i = split(words, list, " "); i > 0; i--) kinds[list[i]] = kind }

function describe(measure, unit, advice) { units[measure] = unit; advices[measure] = advice }

function readLimits(line,    cells) {
    if (line ~ /^#/) { preamble = preamble line "\n"; return }
    split(line, cells, " ")
    hasLimits[cells[1]] = 1
    rows[++rowCount] = cells[1]
    limit[cells[1], "nouns"] = cells[2]; limit[cells[1], "negations"] = cells[3]; limit[cells[1], "you"] = cells[4]
    limit[cells[1], "long"] = cells[5]; limit[cells[1], "words"] = cells[6]
}

# A module, all articles, a document, or a folder.
function folderOf(path,    parts) {
    if (match(path, /^.*\.docc\//)) return substr(path, 1, RLENGTH - 1)
    split(path, parts, "/")
    return parts[1] == "Sources" ? parts[1] "/" parts[2] : parts[1]
}

function measureFile(path,    line, number, isSwift) {
    folder = folderOf(path)
    if (!(folder in words)) { folders[++folderCount] = folder; words[folder] = 0 }
    file = path; block = ""; isCode = isHidden = number = 0
    isSwift = path ~ /\.swift$/
    while ((getline line < path) > 0) {
        number++
        if (isSwift) swiftLine(line, number); else markdownLine(line, number)
    }
    close(path)
    endBlock("")
}

# A paragraph of a comment is a block, and so is each item of a list.
function swiftLine(line, number) {
    if (line !~ /^[ \t]*\/\//) { endBlock(line); isCode = 0; return }
    sub(/^[ \t]*\/\/\/? ?/, "", line)
    if (line ~ /^MARK/) { endBlock(""); return }
    if (line ~ /^```/) { isCode = !isCode; return }
    if (isCode) return
    if (line !~ /[^ \t]/ || line ~ /^ *- /) endBlock("")
    sub(/^ *- (Parameters?|Returns|Throws)[^:]*:/, "", line)
    addLine(line, number)
}

function markdownLine(line, number) {
    if (line ~ /^```/) { endBlock(""); isCode = !isCode; return }
    if (isCode) return
    if (line ~ /^<!--/) isHidden = 1
    if (isHidden) { if (line ~ /-->/) isHidden = 0; return }
    if (line !~ /[^ \t]/ || line ~ /^(#|\||    )/) { endBlock(""); return }
    if (line ~ /^ *([-*]|[0-9]+\.) /) endBlock("")
    addLine(line, number)
}

# Before each line is its number, between two control characters.
function addLine(line, number) { block = block "\001" number "\002 " line " " }

# Counts the block's sentences. `code` is the line that follows a comment.
function endBlock(code,    text, list, i, count, start, before) {
    if (block == "") return
    text = block
    block = ""
    gsub(/`+[^`]*`+/, "X", text)
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        start = RSTART; before = substr(text, start, RLENGTH)
        sub(/^\[/, "", before); sub(/\]\([^)]*\)$/, "", before)
        text = substr(text, 1, start - 1) before substr(text, start + RLENGTH)
    }
    gsub(/[*_<>]/, "", text)
    gsub(/\342\200\231/, "'", text)
    gsub(/[.!?:;] +/, "&\003", text)
    blockLine = 0; blockWords = 0; blockYou = 0
    count = split(text, list, "\003")
    for (i = 1; i <= count; i++) countSentence(list[i])
    if (code !~ /^ *(public|open|package|@)/) offer("words", blockWords, "a comment of " blockWords " words", blockLine)
    if (!blockYou) offer("you", blockWords, "a paragraph of " blockWords " words without it", blockLine)
}

function countSentence(text,    found, list, parts, i, j, count, shown, each) {
    # A sentence that goes on in the line before has that line's number.
    while (match(text, /\001[0-9]+\002/)) {
        found = substr(text, RSTART + 1, RLENGTH - 2)
        if (substr(text, 1, RSTART - 1) !~ /[^ ]/) { sentenceLine = found; if (!blockLine) blockLine = found }
        lastLine = found
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    }
    shown = text
    gsub(/ +/, " ", shown); sub(/^ /, "", shown); sub(/ $/, "", shown)
    gsub(/[^A-Za-z'-]+/, " ", text)
    each["nouns"] = each["negations"] = each["you"] = count = 0
    for (i = split(tolower(text), list, " "); i > 0; i--) {
        sub(/^['-]+/, "", list[i])
        if (list[i] == "") continue
        count++
        for (j = split(list[i], parts, "-"); j > 0; j--) {
            if (parts[j] ~ /n't$/) each["negations"]++
            sub(/'.*/, "", parts[j])
            if (parts[j] in kinds) each[kinds[parts[j]]]++
        }
    }
    if (!count) return
    sentences[folder]++
    words[folder] += count
    blockWords += count
    blockYou += each["you"]
    occurrences[folder, "you"] += each["you"]
    occurrences[folder, "nouns"] += each["nouns"]
    occurrences[folder, "negations"] += each["negations"]
    if (count > 30) occurrences[folder, "long"]++
    offer("nouns", each["nouns"] ? each["nouns"] + 1 / count : 0, shown, sentenceLine)
    offer("negations", each["negations"] ? each["negations"] + 1 / count : 0, shown, sentenceLine)
    offer("long", count > 30 ? count : 0, shown, sentenceLine)
    sentenceLine = lastLine
}

# Keeps the worst finding of each measure.
function offer(measure, score, text, line) {
    if (score <= score0[folder, measure]) return
    score0[folder, measure] = score
    worst[folder, measure] = file ":" line ": " text
}

function rate(folder,    total) {
    total = words[folder] ? words[folder] : 1
    rates[folder, "nouns"] = 1000 * occurrences[folder, "nouns"] / total
    rates[folder, "negations"] = 1000 * occurrences[folder, "negations"] / total
    rates[folder, "you"] = 1000 * occurrences[folder, "you"] / total
    rates[folder, "long"] = 100 * occurrences[folder, "long"] / (sentences[folder] ? sentences[folder] : 1)
    rates[folder, "words"] = words[folder]
}

# Whether the measure applies: the reader is addressed in the guides, and only comments are to be fewer.
function applies(folder, measure) {
    if (measure == "you") return folder ~ /^README\.md$|\.docc$/
    return measure != "words" || folder ~ /^Sources\/[^.]*$/
}

function check(    i, j, folder, measure) {
    for (i = 1; i <= folderCount; i++) {
        folder = folders[i]
        if (!(folder in hasLimits)) fail(folder " has no limits. `Scripts/prose --tighten` adds them.")
        else for (j = 1; j <= n; j++) checkLimit(folder, measures[j])
    }
    for (i = 1; i <= rowCount; i++) if (!(rows[i] in words)) {
        fail(rows[i] " has limits but no prose. `Scripts/prose --tighten` removes them.")
    }
}

# A module of few words may have three negations, and three nouns, at any rate.
function checkLimit(folder, measure,    found, most) {
    if (limit[folder, measure] == "-") return
    found = rates[folder, measure]; most = limit[folder, measure] + 0
    if (measure == "you" ? found >= most : found <= most) return
    if (measure ~ /^(nouns|negations)$/ && occurrences[folder, measure] <= 3) return
    fail(sprintf("%s: %s %s, %s %s. %s\n  worst: %s", folder, written(found, measure), units[measure],
        measure == "you" ? "at least" : "at most", limit[folder, measure], advices[measure], worst[folder, measure]))
}

function fail(text) { print text; failed = 1 }

function written(value, measure) { return sprintf(measure == "words" ? "%d" : "%.1f", value) }

function table(    i, j, folder, row) {
    printf "%-42s%10s%11s%8s%12s%8s\n", "rate/limit", "what, who", "negations", "you", "> 30 words", "words"
    for (i = 1; i <= folderCount; i++) {
        folder = folders[i]
        row = sprintf("%-40s", folder)
        for (j = 1; j <= n; j++) {
            row = row sprintf(measures[j] == "words" ? "%8d" : "%7.1f", rates[folder, measures[j]])
            row = row sprintf("%-6s", (folder, measures[j]) in limit ? "/" limit[folder, measures[j]] : "")
        }
        sub(/ +$/, "", row)
        print row
    }
}

function tighten(    i, j, folder, row) {
    printf "%s", preamble
    for (i = 1; i <= folderCount; i++) {
        folder = folders[i]
        row = sprintf("%-40s", folder)
        for (j = 1; j <= n; j++) row = row sprintf(" %6s", tightened(folder, measures[j]))
        print row
    }
}

# The old limit, or the lower one that today's value allows.
function tightened(folder, measure,    now, old) {
    if (!applies(folder, measure)) return "-"
    now = allowed(folder, measure)
    if (!((folder, measure) in limit)) return now
    old = limit[folder, measure]
    if (measure == "you") return old > now ? old : now
    return old + 0 < now ? old : now
}

# Today's value with room for one more occurrence, or 2 % more words, rounded; the target if that is easier.
function allowed(folder, measure,    total, value) {
    if (measure == "words") return 50 * ceiling(words[folder] * 1.02 / 50)
    if (measure == "you") return rates[folder, measure] < target[measure] ? int(rates[folder, measure]) : target[measure]
    total = measure == "long" ? sentences[folder] / 100 : words[folder] / 1000
    value = total ? ceiling((occurrences[folder, measure] + 1) / total) : 0
    if (value < target[measure] || rates[folder, measure] <= target[measure]) return target[measure]
    return value
}

function ceiling(value) { return int(value) < value ? int(value) + 1 : int(value) }
