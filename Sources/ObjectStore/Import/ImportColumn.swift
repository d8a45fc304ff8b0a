/// How a column's JSON is converted: an ``AttributeKind`` without references, for the fast path.
struct ImportColumn {
    enum Code: UInt8 {
        case boolean, integer, unsigned, real, decimal, text, date, data, url, uuid, json, link
    }

    let code: Code
    var low = Int64.min
    var high = Int64.max
    /// Whether replies are not taken (`access: .writeOnly`).
    let isIgnored: Bool

    init(_ property: Property) {
        switch property.kind {
        case .attribute(let kind, _, let options):
            isIgnored = options.access == .writeOnly
            switch kind {
            case .boolean: code = .boolean
            case .integer(let range):
                code = .integer
                low = range.lowerBound
                high = range.upperBound
            case .unsigned: code = .unsigned
            case .real: code = .real
            case .decimal: code = .decimal
            case .text: code = .text
            case .date: code = .date
            case .data: code = .data
            case .url: code = .url
            case .uuid: code = .uuid
            case .json: code = .json
            }
        case .toOne, .toMany:
            code = .link
            isIgnored = false
        }
    }
}
