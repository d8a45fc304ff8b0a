import GRDBSQLite

/// Splits texts into the words of a full text index (https://sqlite.org/fts5.html#custom_tokenizers).
///
/// Letters are folded (``LetterFolding``), and other characters than letters and digits separate words. In scripts
/// without spaces, and in Hangul, each letter is a word, and so is each pair of neighbours, at the position of its
/// first letter:
///
///     text        検索する
///     position 0  検, 検索
///     position 1  索, 索す
///     position 2  す, する
///     position 3  る
///
/// A query consists of the pairs in their order and the last letter, so it finds any part of a text: `検索`, but not
/// `索検`.
///
/// Safe because each instance serves one index on one connection, and so one thread at a time.
@safe final class SearchTokenizer {
    static let name = "restful_words"
    /// Raise the version when the words change: files then rebuild their indexes.
    static let declaration = "\(name) 1"

    private typealias Callback =
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32) -> Int32

    // The properties below skip the exclusivity check, which costs more than most accesses. Safe: each access is a load
    // or a store, or calls code that can't access the tokenizer.

    /// Foldings by the number of the page. Empty until a text has letters outside of ASCII.
    @safe @exclusivity(unchecked)
    private var pages: [LetterFolding.Page?] = []
    /// The folded word in UTF-8: `count` of `capacity` allocated bytes.
    @safe @exclusivity(unchecked)
    private var word: UnsafeMutablePointer<UInt8>
    @safe @exclusivity(unchecked)
    private var capacity = 256
    @safe @exclusivity(unchecked)
    private var count = 0
    /// The current word's range. If `end` is 0, there is none.
    @safe @exclusivity(unchecked)
    private var (start, end) = (0, 0)
    /// The current letters of a script without spaces.
    @safe @exclusivity(unchecked)
    private var letters: [Letter] = []

    private struct Letter {
        var value: UInt32
        let start: Int
        var end: Int
    }

    private init() { word = UnsafeMutablePointer<UInt8>.allocate(capacity: 256) }

    deinit { unsafe word.deallocate() }

    // MARK: Entry points of FTS5

    static func register(on connection: OpaquePointer) throws {
        var statement: OpaquePointer?
        var api: UnsafeMutablePointer<fts5_api>?
        defer { unsafe sqlite3_finalize(statement) }
        // As in https://sqlite.org/fts5.html#extending_fts5.
        let code = unsafe sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil)
        guard code == SQLITE_OK else { throw unsafe failure(code, connection) }
        // SQLite reads the type's name when the statement runs. A `StaticString` stays valid.
        let type: StaticString = "fts5_api_ptr"
        unsafe withUnsafeMutablePointer(to: &api) { place in
            let type = unsafe UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
            unsafe sqlite3_bind_pointer(statement, 1, place, type, nil)
            unsafe sqlite3_step(statement)
        }
        guard let api = unsafe api else { throw unsafe failure(SQLITE_ERROR, connection) }
        var tokenizer = unsafe fts5_tokenizer(
            xCreate: { _, _, _, place in
                // FTS5 passes each instance to `xDelete` once, which balances this retain.
                unsafe place?.pointee = OpaquePointer(Unmanaged.passRetained(SearchTokenizer()).toOpaque())
                return SQLITE_OK
            },
            xDelete: { tokenizer in
                guard let tokenizer = unsafe tokenizer else { return }
                unsafe Unmanaged<SearchTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
            },
            xTokenize: { tokenizer, context, flags, text, count, callback in
                guard let tokenizer = unsafe tokenizer, let callback = unsafe callback else { return SQLITE_ERROR }
                guard let text = unsafe text, count > 0 else { return SQLITE_OK }
                // FTS5 keeps the text and the tokenizer alive until this returns.
                let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
                let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(count))
                let output = unsafe Output(
                    context: context, callback: callback, isQuery: flags & FTS5_TOKENIZE_QUERY != 0)
                return unsafe Unmanaged<SearchTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).takeUnretainedValue()
                    .read(bytes, to: output)
            })
        let result = unsafe api.pointee.xCreateTokenizer(api, name, nil, &tokenizer, nil)
        guard result == SQLITE_OK else { throw unsafe failure(result, connection) }
    }

    private static func failure(_ code: Int32, _ connection: OpaquePointer) -> SQLiteFailure {
        SQLiteFailure(
            code: code, message: unsafe String(cString: sqlite3_errmsg(connection)), sql: "SELECT fts5(?1)", path: "")
    }

    @safe private struct Output {
        private let context: UnsafeMutableRawPointer?
        private let callback: Callback
        let isQuery: Bool

        init(context: UnsafeMutableRawPointer?, callback: Callback, isQuery: Bool) {
            unsafe (self.context, self.callback, self.isQuery) = (context, callback, isQuery)
        }

        /// - Parameter isColocated: whether the word has the position of the previous one.
        /// - Returns: an SQLite result code. Stop unless it is `SQLITE_OK`.
        @inline(__always)
        func give(
            _ word: UnsafePointer<UInt8>, count: Int, from start: Int, to end: Int, isColocated: Bool = false
        ) -> Int32 {
            unsafe callback(
                context, isColocated ? FTS5_TOKEN_COLOCATED : 0,
                UnsafeRawPointer(word).assumingMemoryBound(to: CChar.self),
                Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: start), Int32(truncatingIfNeeded: end))
        }
    }

    // MARK: Plain words

    private func read(_ text: UnsafeBufferPointer<UInt8>, to output: Output) -> Int32 {
        guard let first = text.baseAddress else { return SQLITE_OK }
        let count = text.count
        var index = 0
        while index < count {
            guard unsafe Self.isWord(first[index]) else {
                if unsafe first[index] < 0x80 {
                    index &+= 1
                    continue
                }
                let code = unsafe readLetters(of: text, from: &index, to: output)
                guard code == SQLITE_OK else { return code }
                continue
            }
            var (end, capitals) = (index, UInt8(0))
            while end < count, case let next = unsafe first[end], Self.isWord(next) {
                // ASCII letters have bit 0x40; capital letters lack bit 0x20.
                capitals |= next & 0x40 & ~(next &<< 1)
                end &+= 1
            }
            let code: Int32
            if unsafe end < count && first[end] >= 0x80 || end &- index > 256 {
                code = unsafe readLetters(of: text, from: &index, to: output)
            } else {
                let word = unsafe capitals == 0 ? first + index : inLowerCase(first + index, count: end &- index)
                code = unsafe output.give(word, count: end &- index, from: index, to: end)
                index = end
            }
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    @inline(__always)
    private static func isWord(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

    /// - Parameter count: at most 256, the initial capacity of `word`.
    @inline(__always)
    private func inLowerCase(_ bytes: UnsafePointer<UInt8>, count: Int) -> UnsafePointer<UInt8> {
        let word = word
        for place in 0..<count {
            let byte = unsafe bytes[place]
            // Digits have this bit already.
            unsafe word[place] = byte | 0x20
        }
        return unsafe UnsafePointer(word)
    }

    // MARK: Letters of any script

    private func readLetters(
        of text: UnsafeBufferPointer<UInt8>, from index: inout Int, to output: Output
    ) -> Int32 {
        (count, end) = (0, 0)
        letters.removeAll(keepingCapacity: true)
        while index < text.count {
            let begin = index
            let scalar = unsafe Self.scalar(in: text, at: &index)
            let page = page(of: scalar)
            let entry = page[scalar]
            switch entry.role {
            case .separator: return giveAll(to: output)
            case .ignored: extend(to: index)
            case .word:
                if !letters.isEmpty, case let code = giveLetters(to: output), code != SQLITE_OK { return code }
                if end == 0 { start = begin }
                end = index
                if let scalar = entry.scalar { append(scalar) } else { page.scalars(entry).forEach(append) }
            case .dense:
                if end > 0, case let code = giveWord(to: output), code != SQLITE_OK { return code }
                if let scalar = entry.scalar {
                    add(scalar, from: begin, to: index)
                } else {
                    for scalar in page.scalars(entry) { add(scalar, from: begin, to: index) }
                }
            }
        }
        return giveAll(to: output)
    }

    @inline(__always)
    private func page(of scalar: UInt32) -> LetterFolding.Page {
        if pages.isEmpty { pages = Array(repeating: nil, count: 0x11_0000 >> 7) }
        let number = Int(scalar >> 7)
        if let known = pages[number] { return known }
        let page = LetterFolding.page(of: scalar)
        pages[number] = page
        return page
    }

    /// Moves the index behind the scalar. Invalid UTF-8 becomes U+FFFD, a separator.
    @inline(__always)
    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt32 {
        let first = unsafe UInt32(text[index])
        index &+= 1
        guard first >= 0x80 else { return first }
        let rest = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
        guard first >= 0xC2, first < 0xF5, index &+ rest <= text.count else { return 0xFFFD }
        var value = first & (0x3F &>> UInt32(rest))
        for place in index..<index &+ rest {
            let byte = unsafe UInt32(text[place])
            guard byte & 0xC0 == 0x80 else { return 0xFFFD }
            value = value &<< 6 | byte & 0x3F
        }
        index &+= rest
        return value < 0x11_0000 ? value : 0xFFFD
    }

    private func append(_ scalar: UInt32) {
        if count &+ 4 > capacity { grow() }
        let place = unsafe word + count
        func write(_ bits: UInt32, mark: UInt32, at offset: Int) {
            unsafe place[offset] = UInt8(truncatingIfNeeded: bits | mark)
        }
        switch scalar {
        case ..<0x80:
            write(scalar, mark: 0, at: 0)
            count &+= 1
        case ..<0x800:
            write(scalar >> 6, mark: 0xC0, at: 0)
            write(scalar & 0x3F, mark: 0x80, at: 1)
            count &+= 2
        case ..<0x1_0000:
            write(scalar >> 12, mark: 0xE0, at: 0)
            write(scalar >> 6 & 0x3F, mark: 0x80, at: 1)
            write(scalar & 0x3F, mark: 0x80, at: 2)
            count &+= 3
        default:
            write(scalar >> 18, mark: 0xF0, at: 0)
            write(scalar >> 12 & 0x3F, mark: 0x80, at: 1)
            write(scalar >> 6 & 0x3F, mark: 0x80, at: 2)
            write(scalar & 0x3F, mark: 0x80, at: 3)
            count &+= 4
        }
    }

    private func grow() {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        unsafe larger.update(from: word, count: count)
        unsafe word.deallocate()
        unsafe word = larger
        capacity *= 2
    }

    private func add(_ letter: UInt32, from start: Int, to end: Int) {
        if let last = letters.last, let composed = LetterFolding.composed(last.value, letter) {
            letters[letters.count - 1] = Letter(value: composed, start: last.start, end: end)
        } else {
            letters.append(Letter(value: letter, start: start, end: end))
        }
    }

    /// Excerpts then include a dropped mark.
    private func extend(to end: Int) {
        if self.end > 0 { self.end = end }
        if let last = letters.indices.last { letters[last].end = end }
    }

    private func giveAll(to output: Output) -> Int32 {
        if end > 0, case let code = giveWord(to: output), code != SQLITE_OK { return code }
        return letters.isEmpty ? SQLITE_OK : giveLetters(to: output)
    }

    private func giveWord(to output: Output) -> Int32 {
        defer { (count, end) = (0, 0) }
        return unsafe output.give(word, count: count, from: start, to: end)
    }

    private func giveLetters(to output: Output) -> Int32 {
        defer {
            count = 0
            letters.removeAll(keepingCapacity: true)
        }
        let last = letters.count &- 1
        for index in 0...last {
            let letter = letters[index]
            count = 0
            append(letter.value)
            if !output.isQuery || index == last {
                let code = unsafe output.give(word, count: count, from: letter.start, to: letter.end)
                guard code == SQLITE_OK else { return code }
            }
            guard index < last else { continue }
            let next = letters[index &+ 1]
            append(next.value)
            let code = unsafe output.give(
                word, count: count, from: letter.start, to: next.end, isColocated: !output.isQuery)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }
}
