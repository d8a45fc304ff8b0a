import JSONBytes
import ObjectStore

enum OutboundJSON: Sendable {
    case null
    /// A number, `true`, or an attribute that is stored as JSON.
    case raw(String)
    case string(String)
    case array([OutboundJSON])
    case object([(key: String, value: OutboundJSON)])

    init(_ text: WireText) {
        switch text {
        case .null: self = .null
        case .raw(let text): self = .raw(text)
        case .string(let text): self = .string(text)
        }
    }

    var routeText: String? {
        switch self {
        case .raw(let text), .string(let text): text
        case .null, .array, .object: nil
        }
    }
}

extension OutboundJSON {
    /// Merges the value with the members that are there. Of two values at one place, the one with the longer key path
    /// wins, in either order.
    mutating func set(_ value: OutboundJSON, at path: ArraySlice<String>) {
        guard let key = path.first else {
            guard case .object(let inner) = self else {
                self = value
                return
            }
            self = value
            for member in inner { set(member.value, at: [member.key]) }
            return
        }
        var members = self.members
        let index = members.firstIndex { $0.key == key }
        var child = index.map { members[$0].value } ?? .object([])
        child.set(value, at: path.dropFirst())
        if let index {
            members[index].value = child
        } else {
            members.append((key, child))
        }
        self = .object(members)
    }

    var isObject: Bool {
        switch self {
        case .object: true
        case .raw(let text): text.utf8.first == UInt8(ascii: "{")
        case .null, .string, .array: false
        }
    }

    /// This object with null for each key that only `known` has, also in inner objects.
    func unsettingKeys(lostFrom known: OutboundJSON) -> OutboundJSON {
        guard isObject, known.isObject else { return self }
        let (former, kept) = (Dictionary(known.members) { $1 }, members)
        let lost = Set(former.keys).subtracting(kept.map(\.key)).sorted()
        return .object(
            kept.map { key, value in (key, former[key].map { value.unsettingKeys(lostFrom: $0) } ?? value) }
                + lost.map { ($0, .null) })
    }

    /// An object's members; empty for other values.
    var members: [(key: String, value: OutboundJSON)] {
        switch self {
        case .object(let members): return members
        case .raw(let text) where text.utf8.first == UInt8(ascii: "{"):
            var members: [(key: String, value: OutboundJSON)] = []
            // The bytes are valid during this closure.
            unsafe Array(text.utf8).withUnsafeBytes { bytes in
                guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
                try? Self.read(&reader, into: &members)
            }
            return members
        default: return []
        }
    }

    private static func read(
        _ reader: inout JSONReader, into members: inout [(key: String, value: OutboundJSON)]
    ) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let key = reader.string(try reader.readKey())
            let value = try reader.skipValue()
            members.append((key, .raw(unsafe String(decoding: reader.bytes(of: value), as: UTF8.self))))
        } while try reader.continueObject()
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .raw(let text): bytes += text.utf8
        case .string(let text): JSONText.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
