public import Foundation
public import RestfulData
import ServiceFiles
import YAMLServiceFiles

// YAML support is a product of its own, so that only programs that use it build Yams.

extension WebService {
    /// Reads a service file in YAML, in UTF-8.
    ///
    /// ```yaml
    /// downloadImage:
    ///   request: { path: /images/%0 }
    /// usersList:
    ///   request: { path: /users }
    ///   serialization: { serializedObject: User }
    /// ```
    ///
    /// - Parameter readers: Convert replies to JSON, by the names in the file's `serializator`.
    /// - Throws: ``WebServiceError`` with all mistakes of the file and their lines.
    public init(yamlURL: URL, api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        try self.init(ServiceFile.Source(yaml: yamlURL), api: api, readers: readers)
    }
}
