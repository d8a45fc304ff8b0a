import JSONBytes

extension DescriptionNode {
    /// - Throws: `JSONError` with the line and column.
    static func json(_ bytes: [UInt8]) throws(JSONError) -> DescriptionNode {
        let limits = JSONLimits(maximumDepth: maximumDepth)
        let result = unsafe bytes.withUnsafeBytes { bytes -> Result<DescriptionNode, JSONError> in
            // Safe: the bytes live as long as this closure, and the node copies its values.
            Result { () throws(JSONError) in
                var reader = unsafe try JSONReader(unsafe: bytes, limits: limits)
                let node = try DescriptionNode(&reader)
                try reader.finish()
                return node
            }
        }
        return try result.get()
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .object:
            var members = DescriptionMembers()
            if try reader.enterObject() {
                repeat {
                    let name = reader.string(try reader.readKey())
                    members.set(name, to: try DescriptionNode(&reader))
                } while try reader.continueObject()
            }
            self = .object(members)
        case .array:
            var elements: [DescriptionNode] = []
            if try reader.enterArray() {
                repeat { elements.append(try DescriptionNode(&reader)) } while try reader.continueArray()
            }
            self = .array(elements)
        default:
            let scalar = try reader.readScalar()
            switch scalar.kind {
            case .string: self = .string(reader.string(scalar))
            case .number: self = .number(reader.string(scalar))
            case .true: self = .bool(true)
            case .false: self = .bool(false)
            default: self = .null
            }
        }
    }
}
