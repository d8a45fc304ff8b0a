import Foundation

extension StoredValue {
    /// SQLite's order of values (https://sqlite.org/datatype3.html §4.1): NULL, numbers, text by bytes, blobs. Negative when
    /// left comes first.
    static func order(_ left: StoredValue, _ right: StoredValue) -> Int {
        if left.rank != right.rank { return left.rank - right.rank }
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return order(left, right)
        case (.text(let left), .text(let right)): return order(Array(left.utf8), Array(right.utf8))
        case (.blob(let left), .blob(let right)): return order(left, right)
        default: break
        }
        guard let left = Double(stored: left), let right = Double(stored: right) else { return 0 }
        return order(left, right)
    }

    static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// Whole numbers and texts as a JSON array that SQLite reads back as the same values; `nil` where there are others.
    static func jsonArray(_ values: [StoredValue]) -> String? {
        var objects: [Any] = []
        for value in values {
            switch value {
            case .integer(let number): objects.append(number)
            // SQLite ends a text at a NUL that stands in JSON.
            case .text(let text) where !text.utf8.contains(0): objects.append(text)
            default: return nil
            }
        }
        return (try? JSONSerialization.data(withJSONObject: objects)).map { String(decoding: $0, as: UTF8.self) }
    }
}
