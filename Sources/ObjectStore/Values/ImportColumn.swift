import Foundation
import JSONBytes

/// How JSON becomes a column's value, in the fast path.
struct ImportColumn {
    enum Code: UInt8 {
        case boolean, integer, unsigned, wide, unsignedWide, real, float, decimal, text, date, data, url, uuid, json,
            link
    }

    let code: Code
    /// Whether values are ignored, or converted outside the fast path (JSON, arrays, declared formats, transformers).
    let isWhole: Bool
    /// Whether the attribute has `access: .writeOnly`.
    let isIgnored: Bool
    /// Whether `""` stands for a missing value.
    var isEmptyTextNothing = false
    /// Whether null is nil, instead of the default.
    var isNil = true
    var low = Int64.min
    var high = Int64.max

    init(code: Code, isWhole: Bool, isIgnored: Bool) {
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
        case .json, .list, .set, .dictionary: .json
        }
    }
}

extension ImportColumn {
    /// `nil` if there is no lossless conversion. ``AttributeKind`` documents them.
    @inline(__always)
    func slot(
        for scalar: JSONScalar, in reader: borrowing JSONReader, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        switch (code, scalar.kind) {
        case (.text, .string): unsafe .text(reader.unescaped(scalar, into: &memory.scratch))
        case (.integer, .number): integer(reader.number(scalar))
        case (.boolean, .true): .integer(1)
        case (.boolean, .false): .integer(0)
        case (.date, .string):
            unsafe DateText.read(reader.unescaped(scalar, into: &memory.scratch)).map { .real($0.seconds, $0.shape) }
        default: convertedSlot(for: scalar, in: reader, &memory)
        }
    }

    private func integer(_ number: JSONNumber, _ shape: WireShape = .standard) -> ImportSlot? {
        guard let value = number.int64, value >= low, value <= high else { return nil }
        return .integer(value, shape)
    }

    @inline(never)
    private func convertedSlot(
        for scalar: JSONScalar, in reader: borrowing JSONReader, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        switch scalar.kind {
        case .string:
            let text = unsafe reader.unescaped(scalar, into: &memory.scratch)
            return unsafe slot(text: text, &memory)
        case .number:
            let number = reader.number(scalar)
            switch code {
            case .boolean:
                guard let value = number.int64, value == 0 || value == 1 else { return nil }
                return .integer(value, WireShape(.number))
            case .text: return unsafe .text(reader.bytes(of: scalar), WireShape(.number))
            case .date:
                let bytes = unsafe reader.bytes(of: scalar)
                let reading = number.double.flatMap { unsafe DateText.read(number: $0, bytes, as: .number) }
                return reading.map { .real($0.seconds, $0.shape) }
            default: return unsafe slot(number: number, reader.bytes(of: scalar), shape: .standard, &memory)
            }
        case .true, .false: return code == .text ? unsafe .text(reader.bytes(of: scalar), WireShape(.literal)) : nil
        case .null, .object, .array: return nil
        }
    }

    private func slot(text bytes: UnsafeRawBufferPointer, _ memory: inout ImportMemory) -> ImportSlot? {
        switch code {
        case .boolean:
            switch unsafe String(decoding: bytes.prefix(6), as: UTF8.self) {
            case "true": return .integer(1, WireShape(.string))
            case "false": return .integer(0, WireShape(.string))
            case "1": return .integer(1, WireShape(.numberString))
            case "0": return .integer(0, WireShape(.numberString))
            default: return nil
            }
        case .integer, .unsigned, .wide, .unsignedWide, .real, .float, .decimal:
            guard let number = unsafe JSONNumber(parsing: bytes) else { return nil }
            return unsafe slot(number: number, bytes, shape: WireShape(.string), &memory)
        case .data:
            guard let (data, shape) = unsafe Base64.read(bytes) else { return nil }
            return unsafe .blob(memory.keep(data), shape)
        case .url: return unsafe Self.isURL(bytes) ? .text(bytes) : nil
        case .uuid:
            guard let isCapital = unsafe UUIDText.isCapital(bytes) else { return nil }
            if isCapital { return unsafe .text(bytes) }
            let capitals = unsafe bytes.map { (0x61...0x66).contains($0) ? $0 - 0x20 : $0 }
            return unsafe .text(memory.keep(capitals), WireShape(.lowercase))
        case .text, .date, .json, .link: return nil
        }
    }

    /// A number, or a string of one.
    private func slot(
        number: JSONNumber, _ bytes: UnsafeRawBufferPointer, shape: WireShape, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        var shape = shape
        switch code {
        case .integer, .unsigned, .wide, .unsignedWide:
            if shape.form == .string { shape.needsText = unsafe !number.isInteger || bytes.elementsEqual("-0".utf8) }
        default: break
        }
        switch code {
        case .integer: return integer(number, shape)
        case .unsigned: return number.uint64.map { .integer(Int64(bitPattern: $0), shape) }
        case .wide, .unsignedWide:
            let text = unsafe DecimalText(String(decoding: bytes, as: UTF8.self))?.integerText
            guard let text, code == .wide ? Int128(text) != nil : UInt128(text) != nil else { return nil }
            return memory.slot(.text(text), shape)
        case .real:
            guard let value = number.double else { return nil }
            // A `Double` reproduces fifteen digits.
            if shape.form == .string || bytes.count > 15 {
                shape.needsText = unsafe !NumberText.represents(
                    WireText.number(value).json, bytes, isQuoted: shape.form == .string)
            }
            return .real(value, shape)
        case .float:
            guard let value = number.double.map({ Float($0) }), value.isFinite else { return nil }
            if shape.form == .string || bytes.count > 6 {
                shape.needsText = unsafe !NumberText.represents(
                    WireText.float(Double(value)), bytes, isQuoted: shape.form == .string)
            }
            // Values that are set have the same precision, so queries find both.
            return .real(Double(value), shape)
        case .decimal: return unsafe DecimalText.isInRange(bytes) ? .text(bytes, shape) : nil
        default: return nil
        }
    }

    /// Whether Foundation accepts the text. It is slow, so it is asked only about characters beyond those that RFC 3986
    /// allows anywhere.
    static func isURL(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !bytes.isEmpty else { return false }
        let isPlain = unsafe bytes.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x2F...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E || byte == 0x3D || byte == 0x26
        }
        if isPlain { return true }
        if unsafe isPlainHTTPS(bytes) { return true }
        return URL(string: unsafe String(decoding: bytes, as: UTF8.self)) != nil
    }

    private static func isPlainHTTPS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe bytes.starts(with: "https://".utf8) else { return false }
        var isInHost = true
        for index in 8..<bytes.count {
            switch unsafe bytes[index] {
            // Without brackets, colon (port), at sign (user), percent, and most that RFC 3986 excludes.
            case 0x2F: isInHost = false
            case 0x21, 0x24, 0x26...0x39, 0x3B, 0x3D, 0x3F, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x7E: break
            // Foundation escapes the braces of a URI template, except in a host.
            case 0x7B, 0x7D: if isInHost { return false }
            default: return false
            }
        }
        return true
    }
}
