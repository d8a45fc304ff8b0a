extension String {
    /// Percent-encodes all but ASCII letters, digits and `-._~` ([RFC 3986
    /// §2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3)).
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = utf8.flatMap { byte -> [UInt8] in
            byte.isUnreserved ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || "-._~".utf8.contains(self)
    }
}
