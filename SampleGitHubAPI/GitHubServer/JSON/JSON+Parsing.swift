#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSON {
    /// Reads JSON text (RFC 8259). Objects keep the order of their members. Nil if the text is invalid.
    init?(parsing data: Data) {
        var parser = JSONParser(bytes: [UInt8](data))
        do throws(JSONParser.Malformed) {
            self = try parser.document()
        } catch {
            return nil
        }
    }
}
