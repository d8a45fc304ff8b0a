import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension APIRequest {
    /// The request as a command of curl, for a bug report or a terminal.
    ///
    /// ```swift
    /// print(request.curlCommand())
    /// // curl -X PATCH 'https://api.example.com/users/7' -H 'Authorization: REDACTED' --data-binary '@body'
    /// ```
    ///
    /// By default, secrets are `REDACTED`: credential fields, other fields with a word such as `Token`, `Key` or `User`
    /// in their names, and secret parameters. The body is left to a file named `body`, because it may be private.
    ///
    /// - Parameter showsSecrets: Whether to include credentials and the body. A stream is read from the standard input.
    public func curlCommand(showsSecrets: Bool = false) -> String {
        let shown = showsSecrets ? url.absoluteString : RequestSummary(self).url
        var words = ["curl"]
        // With a body, curl sends a POST unless the method is named, and refuses `--head`.
        if method == .head, body == nil {
            words.append("--head")
        } else if method != .get || body != nil {
            words += ["-X", method.rawValue]
        }
        words.append(Self.quoted(shown))
        for field in headerFields where !isMultipart(field) {
            let value = showsSecrets || !isSecret(field.name) ? field.value : "REDACTED"
            words += ["-H", Self.quoted("\(field.name.rawName): \(value)")]
        }
        if !headerFields.contains(.acceptEncoding) { words.append("--compressed") }
        if let body {
            words += showsSecrets ? body.curlOptions.map(Self.option) : ["--data-binary", Self.quoted("@body")]
        }
        return words.joined(separator: " ")
    }

    /// Many services have a field of their own for tokens, which may have been set as any other field.
    private func isSecret(_ name: HTTPField.Name) -> Bool {
        credentialFields.contains(name) || name.isIdentifying
    }

    /// Curl chooses the boundary of a form itself.
    private func isMultipart(_ field: HTTPField) -> Bool {
        field.name == .contentType && body?.isMultipart == true
    }

    private static func option(_ option: RequestBody.CurlOption) -> String {
        "\(option.name) \(quoted(option.value))"
    }

    /// Within single quotes of a shell, only such quotes need escaping. A quote with a combining accent, one
    /// `Character`, ends the word, too.
    private static func quoted(_ word: String) -> String {
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }
}

extension RequestBody {
    struct CurlOption {
        let name: String
        let value: String
    }

    fileprivate var isMultipart: Bool { if case .multipart = content { true } else { false } }

    fileprivate var curlOptions: [CurlOption] {
        switch content {
        case .bytes(let bytes):
            // A command is text.
            guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
                return [CurlOption(name: "--data-binary", value: "@body")]
            }
            return [CurlOption(name: "--data-raw", value: text)]
        case .file(let url): return [CurlOption(name: "--data-binary", value: "@\(url.path)")]
        case .stream: return [CurlOption(name: "--data-binary", value: "@-")]
        case .multipart(let form): return form.parts.map(\.curlOption)
        }
    }
}

extension MultipartPart {
    fileprivate var curlOption: RequestBody.CurlOption {
        let type = contentType.map { ";type=\($0)" } ?? ""
        switch content {
        case .bytes(let bytes):
            guard let filename else {
                return .init(name: "--form-string", value: "\(name)=\(String(decoding: bytes, as: UTF8.self))")
            }
            return .init(name: "-F", value: "\(name)=@\(filename)\(type)")
        case .file(let url):
            let renamed = filename.flatMap { $0 == url.lastPathComponent ? nil : ";filename=\"\($0)\"" } ?? ""
            return .init(name: "-F", value: "\(name)=@\(url.path)\(renamed)\(type)")
        }
    }
}
