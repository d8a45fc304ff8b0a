/// How a column's JSON is converted: an ``AttributeKind`` without references, for the fast path.
struct ImportColumn {
    enum Code: UInt8 {
        case boolean, integer, unsigned, wide, unsignedWide, real, float, decimal, text, date, data, url, uuid, json,
            link
    }

    let code: Code
    /// Whether the whole value is converted at once, off the fast path: JSON, arrays, declared formats, transformers; or
    /// passed over.
    let isWhole: Bool
    /// Whether replies are not taken (`access: .writeOnly`).
    let isIgnored: Bool
    var low = Int64.min
    var high = Int64.max

    init(_ property: Property) {
        if case .attribute(let kind, _, let options) = property.kind {
            self.init(kind, isIgnored: options.access == .writeOnly, isDeclared: property.format.isDeclared)
        } else {
            self.init(code: .link, isWhole: false, isIgnored: false)
        }
    }

    private init(code: Code, isWhole: Bool, isIgnored: Bool) {
        self.code = code
        self.isWhole = isWhole
        self.isIgnored = isIgnored
    }

    init(_ kind: AttributeKind, isIgnored: Bool = false, isDeclared: Bool = false) {
        let code = kind.code
        self.init(code: code, isWhole: isIgnored || isDeclared || code == .json, isIgnored: isIgnored)
        if case .integer(let range) = kind {
            low = range.lowerBound
            high = range.upperBound
        }
    }
}

extension AttributeKind {
    fileprivate var code: ImportColumn.Code {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .unsigned: .unsigned
        case .wideInteger(let isSigned): isSigned ? .wide : .unsignedWide
        case .real: .real
        case .float: .float
        case .decimal: .decimal
        case .text: .text
        case .date: .date
        case .data: .data
        case .url: .url
        case .uuid: .uuid
        case .json, .list, .dictionary: .json
        }
    }
}
