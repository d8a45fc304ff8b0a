import JSONBytes

/// A document as a tree, made by walking it with the reader.
indirect enum JSONTree {
    case object([(key: String, value: JSONTree)])
    case array([JSONTree])
    case string(String)
    case number(text: String, int: Int64?, double: Double?)
    case bool(Bool)
    case null

    init(reading bytes: [UInt8]) throws {
        self = try withReader(bytes) { reader in
            let tree = try JSONTree(&reader)
            try reader.finish()
            return tree
        }
    }

    private init(_ reader: inout JSONReader) throws {
        switch try reader.peekKind() {
        case .object: self = .object(try Self.members(&reader))
        case .array: self = .array(try Self.elements(&reader))
        case .string: self = .string(reader.string(try reader.readScalar()))
        case .number:
            let scalar = try reader.readScalar()
            let number = reader.number(scalar)
            self = .number(text: reader.string(scalar), int: number.int64, double: number.double)
        case .true, .false, .null:
            let scalar = try reader.readScalar()
            self = scalar.bool.map(JSONTree.bool) ?? .null
        }
    }

    private static func members(_ reader: inout JSONReader) throws -> [(key: String, value: JSONTree)] {
        guard try reader.enterObject() else { return [] }
        var members: [(key: String, value: JSONTree)] = []
        repeat {
            let key = try reader.readKey()
            members.append((reader.string(key), try JSONTree(&reader)))
        } while try reader.continueObject()
        return members
    }

    private static func elements(_ reader: inout JSONReader) throws -> [JSONTree] {
        guard try reader.enterArray() else { return [] }
        var elements: [JSONTree] = []
        repeat { elements.append(try JSONTree(&reader)) } while try reader.continueArray()
        return elements
    }
}
