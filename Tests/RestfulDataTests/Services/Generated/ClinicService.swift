// Made of clinic-service.json by `swift package generate-service`. Change that file, and make this one again.

import Foundation
import RestfulData

/// The methods of the web service that clinic-service.json describes.
struct ClinicService: Sendable {
    /// The service with all its methods, by their names.
    let service: WebService

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - api: the API that the requests go to.
    ///   - readers: turns replies into JSON, by the names that the file has as `serializator`.
    /// - Throws: `WebServiceError` where a reader is missing.
    init(api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        service = try WebService(json: Self.file, named: "clinic-service.json", api: api, readers: readers)
    }

    /// Downloads an image.
    ///
    /// `GET /images/%0 → file`
    ///
    /// - Parameters:
    ///   - name: stands in the path.
    ///   - file: where the file is to be, in a folder that exists.
    ///   - progress: called as bytes come, on no particular actor.
    ///   - settings: the call's own `Call`.
    /// - Returns: `file`.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    @discardableResult
    nonisolated(nonsending) func downloadImage(
        _ name: any RouteValueConvertible,
        to file: URL,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> URL {
        try await service.downloadImage(name, to: file, progress: progress, with: settings)
    }

    /// All users. The list is sorted by the server, so that the one who has signed in last comes first, and it may be
    /// long in large clinics.
    ///
    /// `GET /users → Patient`
    ///
    /// - Parameters:
    ///   - context: where the objects are to live.
    ///   - settings: the call's own `Call`.
    /// - Returns: the objects of the reply, in its order.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func usersList(
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [Patient] {
        try await service.usersList(in: context, with: settings)
    }

    /// All users. The list is sorted by the server, so that the one who has signed in last comes first, and it may be
    /// long in large clinics.
    ///
    /// `GET /users → Patient`
    ///
    /// - Parameters:
    ///   - context: where the objects are to live.
    ///   - settings: the call's own `Call`.
    /// - Returns: the object of the reply.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func usersList(
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Patient {
        try await service.usersList(in: context, with: settings)
    }

    /// `POST /imports (body: %0)`
    ///
    /// - Parameters:
    ///   - argument1: is the body: data, a file, a text, a model, or an `Encodable` value.
    ///   - settings: the call's own `Call`.
    /// - Returns: the response, whose status is one of 200 to 299.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    @discardableResult
    nonisolated(nonsending) func `import`(
        _ argument1: Any?, with settings: Call.Settings? = nil
    ) async throws(APIError) -> APIResponse {
        try await service.`import`(argument1, with: settings)
    }

    /// `POST /imports (body: %0)`
    ///
    /// - Parameters:
    ///   - argument1: is the body: data, a file, a text, a model, or an `Encodable` value.
    ///   - settings: the call's own `Call`.
    /// - Returns: the reply: `Data` and `String` as it is, all other types as `JSONDecoder` reads them.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func `import`<Value: Decodable & Sendable>(
        _ argument1: Any?, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await service.`import`(argument1, with: settings)
    }

    /// `GET /ping`
    ///
    /// - Parameter settings: the call's own `Call`.
    /// - Returns: the response, whose status is one of 200 to 299.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    @discardableResult
    nonisolated(nonsending) func ping(with settings: Call.Settings? = nil) async throws(APIError) -> APIResponse {
        try await service.ping(with: settings)
    }

    /// `GET /ping`
    ///
    /// - Parameter settings: the call's own `Call`.
    /// - Returns: the reply: `Data` and `String` as it is, all other types as `JSONDecoder` reads them.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func ping<Value: Decodable & Sendable>(
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await service.ping(with: settings)
    }

    /// `PATCH /users/%0[id] (body: user=name=%1) → Receipt`
    ///
    /// - Parameters:
    ///   - argument1: gives its `id`.
    ///   - name: stands in the body.
    ///   - settings: the call's own `Call`.
    /// - Returns: the reply, as `JSONDecoder` reads it.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func rename(
        _ argument1: Patient, _ name: String, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [Receipt] {
        try await service.rename(argument1, name, with: settings)
    }

    /// `PATCH /users/%0[id] (body: user=name=%1) → Receipt`
    ///
    /// - Parameters:
    ///   - argument1: gives its `id`.
    ///   - name: stands in the body.
    ///   - settings: the call's own `Call`.
    /// - Returns: the reply, as `JSONDecoder` reads it.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func rename(
        _ argument1: Patient, _ name: String, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Receipt {
        try await service.rename(argument1, name, with: settings)
    }

    /// `GET /pharmacies?zip=%0 (header: X-Locale=de, parameters: radius=%1) → [Pharmacy]`
    ///
    /// - Parameters:
    ///   - zipCode: stands in the query, as `zip`.
    ///   - radius: is the parameter `radius`; nil leaves it out.
    ///   - settings: the call's own `Call`.
    /// - Returns: the reply, as `JSONDecoder` reads it.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func search(
        _ zipCode: String, _ radius: Int?, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [Pharmacy] {
        try await service.search(zipCode, radius, with: settings)
    }

    /// `POST /photos (parameters: in=%2&title=%0, files: photo=%1)`
    ///
    /// - Parameters:
    ///   - title: is the parameter `title`; nil leaves it out.
    ///   - photo: is the file `photo`: a URL, or `Data`.
    ///   - in: is the parameter `in`; nil leaves it out.
    ///   - settings: the call's own `Call`.
    /// - Returns: the response, whose status is one of 200 to 299.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    @discardableResult
    nonisolated(nonsending) func upload(
        _ title: Any?, _ photo: Any?, _ `in`: Any?, with settings: Call.Settings? = nil
    ) async throws(APIError) -> APIResponse {
        try await service.upload(title, photo, `in`, with: settings)
    }

    /// `POST /photos (parameters: in=%2&title=%0, files: photo=%1)`
    ///
    /// - Parameters:
    ///   - title: is the parameter `title`; nil leaves it out.
    ///   - photo: is the file `photo`: a URL, or `Data`.
    ///   - in: is the parameter `in`; nil leaves it out.
    ///   - settings: the call's own `Call`.
    /// - Returns: the reply: `Data` and `String` as it is, all other types as `JSONDecoder` reads them.
    /// - Throws: `APIError`, as `WebServiceMethod` says.
    nonisolated(nonsending) func upload<Value: Decodable & Sendable>(
        _ title: Any?, _ photo: Any?, _ `in`: Any?, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await service.upload(title, photo, `in`, with: settings)
    }

    private static let file = #"""
        {
          "downloadImageWithName:completionBlock:progressBlock:" : {
            "about" : "Downloads an image.",
            "request" : {
              "path" : "/images/%0",
              "sessionType" : "DownloadTask"
            }
          },
          "getUsersListWithCompletionBlock:" : {
            "about" : "All users. The list is sorted by the server, so that the one who has signed in last comes first, and it may be long in large clinics.",
            "request" : {
              "path" : "/users"
            },
            "serialization" : {
              "serializedObject" : "Patient"
            }
          },
          "import" : {
            "request" : {
              "body" : "%0",
              "method" : "POST",
              "path" : "/imports"
            }
          },
          "ping" : {
            "request" : {
              "path" : "/ping"
            }
          },
          "rename" : {
            "arguments" : {
              "%0" : "Patient",
              "name" : "String"
            },
            "request" : {
              "body" : {
                "user" : {
                  "name" : "%1"
                }
              },
              "method" : "PATCH",
              "path" : "/users/%0[id]"
            },
            "serialization" : {
              "serializedObject" : "Receipt"
            }
          },
          "searchWithZIPCode:radius:completionBlock:" : {
            "arguments" : {
              "radius" : "Int?",
              "zipCode" : "String"
            },
            "request" : {
              "header" : {
                "X-Locale" : "de"
              },
              "parameters" : {
                "radius" : "%1"
              },
              "path" : "/pharmacies?zip=%0"
            },
            "serialization" : {
              "serializedObject" : "[Pharmacy]"
            }
          },
          "upload" : {
            "request" : {
              "files" : {
                "photo" : "%1"
              },
              "method" : "POST",
              "parameters" : {
                "in" : "%2",
                "title" : "%0"
              },
              "path" : "/photos"
            }
          }
        }
        """#
}
