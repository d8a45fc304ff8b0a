import JSONBytes

/// The first ``byteLimit`` bytes of a failed reply's body, with ``entryLimit`` entries of each object and list, since a
/// body may have millions of errors. Invalid JSON is read up to the mistake.
struct ReplyExcerpt {
    /// `[String: Any]`, `[Any]`, `String`, `Int`, `Double` or `Bool`; nil for other bodies than JSON.
    private(set) var root: Any?
    private(set) var readCount = 0
    private var valueCount = 0
    private var isCut = false

    static let byteLimit = 262_144
    static let entryLimit = 200
    private static let valueLimit = 5000
    private static let textLimit = 1000
    private static let depthLimit = 32

    /// Keeps the index of later elements.
    private struct Null {}

    init(_ body: [UInt8]) {
        // The reader doesn't outlive the closure, so its bytes stay valid.
        unsafe body.withUnsafeBytes { bytes in
            let beginning = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.byteLimit))
            guard var reader = unsafe try? JSONReader(unsafe: beginning) else { return }
            root = try? value(&reader, depth: 0)
            readCount = reader.offset
        }
    }

    private mutating func value(_ reader: inout JSONReader, depth: Int) throws(JSONError) -> Any {
        valueCount += 1
        switch try reader.peekKind() {
        case .object: return object(&reader, depth: depth)
        case .array: return list(&reader, depth: depth)
        case .true, .false: return try reader.readScalar().kind == .true
        case .null:
            _ = try reader.readScalar()
            return Null()
        case .string: return String(reader.string(try reader.readScalar()).prefix(Self.textLimit))
        case .number:
            let text = reader.string(try reader.readScalar())
            if let number = Int(text) { return number }
            return Double(text).map { $0 as Any } ?? text
        }
    }

    private mutating func object(_ reader: inout JSONReader, depth: Int) -> [String: Any] {
        var members: [String: Any] = [:]
        do throws(JSONError) {
            guard try reader.enterObject() else { return members }
            repeat {
                let key = String(reader.string(try reader.readKey()).prefix(Self.textLimit))
                if takesMore(than: members.count, depth) {
                    members[key] = try value(&reader, depth: depth + 1)
                } else {
                    _ = try reader.skipValue()
                }
                if isCut { return members }
            } while try reader.continueObject()
        } catch {
            isCut = true
        }
        return members
    }

    private mutating func list(_ reader: inout JSONReader, depth: Int) -> [Any] {
        var elements: [Any] = []
        do throws(JSONError) {
            guard try reader.enterArray() else { return elements }
            repeat {
                if takesMore(than: elements.count, depth) {
                    elements.append(try value(&reader, depth: depth + 1))
                } else {
                    _ = try reader.skipValue()
                }
                if isCut { return elements }
            } while try reader.continueArray()
        } catch {
            isCut = true
        }
        return elements
    }

    private func takesMore(than count: Int, _ depth: Int) -> Bool {
        count < Self.entryLimit && valueCount < Self.valueLimit && depth < Self.depthLimit
    }
}
