public import Foundation
public import RestfulData
import ServiceFiles
import YAMLServiceFiles

// In a product of its own, so that programs without YAML don't build Yams.

extension WebService {
    /// Reads a service file in YAML.
    ///
    /// ```yaml
    /// downloadImage:
    ///   request: { path: /images/%0 }
    /// usersList:
    ///   request: { path: /users }
    ///   serialization: { serializedObject: User }
    /// ```
    ///
    /// - Parameters:
    ///   - yamlURL: the file, in UTF-8.
    ///   - api: the API that the requests go to.
    ///   - readers: turns replies into JSON, by the names that the file has as `serializator`.
    /// - Throws: ``WebServiceError``: all mistakes of the file, with their lines.
    public init(yamlURL: URL, api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        try self.init(ServiceFile.Source(yaml: yamlURL), api: api, readers: readers)
    }
}
