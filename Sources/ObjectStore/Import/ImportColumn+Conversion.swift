import Foundation
import JSONBytes

extension ImportColumn {
    /// The stored form of a JSON scalar, or `nil` where it can't become one without loss.
    ///
    /// The conversions: DESIGN's table of attributes on import; see ``AttributeKind``.
    @inline(__always)
    func slot(
        _ scalar: JSONScalar, _ reader: borrowing JSONReader, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        switch (code, scalar.kind) {
        case (.text, .string): unsafe .text(reader.unescaped(scalar, into: &memory.scratch))
        case (.integer, .number): integer(reader.number(scalar))
        case (.boolean, .true): .integer(1)
        case (.boolean, .false): .integer(0)
        case (.date, .string):
            unsafe DateText.seconds(reader.unescaped(scalar, into: &memory.scratch)).map(ImportSlot.real)
        default: convertedSlot(scalar, reader, &memory)
        }
    }

    private func integer(_ number: JSONNumber) -> ImportSlot? {
        guard let value = number.int64, value >= low, value <= high else { return nil }
        return .integer(value)
    }

    @inline(never)
    private func convertedSlot(
        _ scalar: JSONScalar, _ reader: borrowing JSONReader, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        switch scalar.kind {
        case .string: unsafe slot(text: reader.unescaped(scalar, into: &memory.scratch), &memory)
        case .number: unsafe slot(number: reader.number(scalar), reader.bytes(of: scalar))
        case .true, .false: code == .text ? unsafe .text(reader.bytes(of: scalar)) : nil
        case .null, .object, .array: nil
        }
    }

    private func slot(text bytes: UnsafeRawBufferPointer, _ memory: inout ImportMemory) -> ImportSlot? {
        switch code {
        case .boolean:
            switch unsafe String(decoding: bytes.prefix(6), as: UTF8.self) {
            case "true", "1": return .integer(1)
            case "false", "0": return .integer(0)
            default: return nil
            }
        case .integer: return unsafe JSONNumber(parsing: bytes).flatMap(integer)
        case .unsigned: return unsafe JSONNumber(parsing: bytes)?.uint64.map { .integer(Int64(bitPattern: $0)) }
        case .real: return unsafe JSONNumber(parsing: bytes)?.double.map(ImportSlot.real)
        case .decimal: return unsafe JSONNumber(parsing: bytes) == nil ? nil : .text(bytes)
        case .data:
            guard let data = unsafe Data(base64Encoded: Data(bytes)) else { return nil }
            return unsafe .blob(memory.keep(data))
        case .url: return unsafe Self.isURL(bytes) ? .text(bytes) : nil
        case .uuid:
            guard let uuid = unsafe UUID(uuidString: String(decoding: bytes, as: UTF8.self)) else { return nil }
            return unsafe .text(memory.keep(uuid.uuidString.utf8))
        case .text, .date, .json, .link: return nil
        }
    }

    private func slot(number: JSONNumber, _ bytes: UnsafeRawBufferPointer) -> ImportSlot? {
        switch code {
        case .boolean:
            guard let value = number.int64, value == 0 || value == 1 else { return nil }
            return .integer(value)
        case .unsigned: return number.uint64.map { .integer(Int64(bitPattern: $0)) }
        case .real: return number.double.map(ImportSlot.real)
        case .decimal, .text: return unsafe .text(bytes)
        case .date: return number.double.flatMap(DateText.seconds(fromNumber:)).map(ImportSlot.real)
        default: return nil
        }
    }

    /// Whether Foundation reads the text as a URL. Characters that RFC 3986 allows anywhere are taken without asking it;
    /// what is left is rare and slow.
    static func isURL(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !bytes.isEmpty else { return false }
        let isPlain = unsafe bytes.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x2F...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E || byte == 0x3D || byte == 0x26
        }
        if isPlain { return true }
        let hasPlainScheme = unsafe bytes.starts(with: "https://".utf8)
        if hasPlainScheme,
            unsafe bytes.dropFirst(8).allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.needsFoundation.contains($0) })
        {
            return true
        }
        return URL(string: unsafe String(decoding: bytes, as: UTF8.self)) != nil
    }

    /// Brackets, a colon (a port), an at sign (a user), percent, and most of what RFC 3986 leaves out; Foundation escapes the braces of a URI template.
    private static let needsFoundation = Set("[]:@%|\\^`\"<>#".utf8)
}
