#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSON {
    /// RFC 8259.
    init?(parsing data: Data) {
        var parser = JSONParser(bytes: [UInt8](data))
        do throws(JSONParser.Malformed) {
            self = try parser.document()
        } catch {
            return nil
        }
    }
}
