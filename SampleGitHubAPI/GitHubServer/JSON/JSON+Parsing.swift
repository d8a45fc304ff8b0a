#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSON {
    /// Reads JSON text (RFC 8259), the members of objects in the order of the text; nil where it is not JSON.
    init?(parsing data: Data) {
        var parser = JSONParser(bytes: [UInt8](data))
        do throws(JSONParser.Malformed) {
            self = try parser.document()
        } catch {
            return nil
        }
    }
}
