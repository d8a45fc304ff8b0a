package import HTTPTypes

extension APIResponse {
    /// Why a request stays unsent, as in `Cache-Status` ([RFC 9211](https://www.rfc-editor.org/rfc/rfc9211)).
    package enum Unsent: String, Sendable {
        /// The store has the answer.
        case stored = "RestfulData; hit"
        /// The store has no answer, and the policy forbids a request.
        case notStored = "RestfulData; detail=offline"
        /// The request only determines its fields. Another request's reply may answer it.
        case probe = "RestfulData; detail=probe"
    }

    /// A 304 without a server's fields.
    package static func unsent(_ request: APIRequest, _ reason: Unsent) -> APIResponse {
        APIResponse(
            HTTPResponse(status: .notModified, headerFields: [.cacheStatus: reason.rawValue]), to: request)
    }

    /// Nil for a server's reply.
    package var unsent: Unsent? {
        status == .notModified ? headerFields[.cacheStatus].flatMap { Unsent(rawValue: $0) } : nil
    }
}

extension HTTPField.Name {
    // Unreachable: this is a valid token.
    fileprivate static let cacheStatus = Self("Cache-Status") ?? .age
}

/// Freshness and validators of a response, for a private cache ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111)).
///
/// Malformed values are ignored. Seconds beyond 2^31 count as 2^31 (§1.2.2).
package struct ResponseFreshness: Sendable, Hashable {
    /// `no-store`, or `Vary: *`.
    package var isNotToBeKept = false
    /// Whether to revalidate before each use, or once stale: `no-cache`, `must-revalidate`.
    package var mustRevalidate = false
    /// The lifetime in seconds, if stated.
    package var lifetime: Int?
    /// The further seconds of use if the server fails (RFC 5861 §4).
    package var staleIfError: Int?
    /// The further seconds of use if the answer is revalidated afterwards (RFC 5861 §3).
    package var staleWhileRevalidate: Int?
    /// The age when received, in seconds.
    package var age = 0
    /// `ETag`, as received.
    package var entityTag: String?
    /// `Last-Modified` as received, if it distinguishes states (RFC 9110 §8.8.2.2).
    package var lastModified: String?
    /// The `Vary` fields as received.
    private let varyValues: [String]
    /// The names in `Vary`: in lower case, sorted, each once. Computed on access, because few uses of an answer need
    /// it.
    package var vary: [String] {
        let names = varyValues.flatMap { $0.split(separator: ",") }.map { $0.trimmingSpaces.lowercased() }
        return Set(names.filter { !$0.isEmpty }).sorted()
    }

    /// - Parameter time: Of receipt, in seconds since 1970.
    package init(_ head: HTTPResponse, at time: Int) {
        let fields = head.headerFields
        varyValues = fields[values: .vary]
        if varyValues.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) }), vary.contains("*") {
            isNotToBeKept = true
        }
        entityTag = fields[.eTag].flatMap(Self.entityTag)
        let date = fields[.date].flatMap { HTTPDate.seconds($0.trimmingSpaces) }
        readLastModified(fields, madeAt: date, cameAt: time)
        // The age according to other caches, or by the clocks (§4.2.3).
        age = max(fields[.age].flatMap { Self.seconds($0.trimmingSpaces) } ?? 0, date.map { max(0, time - $0) } ?? 0)
        readCacheControl(fields)
        guard lifetime == nil, let expires = fields[.expires]?.trimmingSpaces else { return }
        // Another value, such as "0", is in the past (§5.3).
        lifetime = HTTPDate.seconds(expires).map { min(max(0, $0 - (date ?? time)), Self.longest) } ?? 0
    }

    private mutating func readLastModified(_ fields: HTTPFields, madeAt date: Int?, cameAt time: Int) {
        guard let text = fields[.lastModified]?.trimmingSpaces, let modified = HTTPDate.seconds(text) else { return }
        // A date distinguishes states only if the answer was made in a later second. Without a `Date`, as from Puma, it
        // was made at receipt (RFC 9110 §6.6.1), minus a minute for differences between clocks.
        guard modified < date ?? time - 60 else { return }
        lastModified = text
    }

    private mutating func readCacheControl(_ fields: HTTPFields) {
        for directive in Self.directives(fields[values: .cacheControl]) {
            let argument = directive.argument.flatMap { Self.seconds($0) }
            switch directive.name {
            case "no-store": isNotToBeKept = true
            case "no-cache": (lifetime, mustRevalidate) = (0, true)
            case "must-revalidate": mustRevalidate = true
            // The first value counts; an invalid number means stale (§4.2.1).
            case "max-age" where lifetime == nil: lifetime = argument ?? 0
            case "stale-if-error" where staleIfError == nil: staleIfError = argument
            case "stale-while-revalidate" where staleWhileRevalidate == nil: staleWhileRevalidate = argument
            default: break
            }
        }
    }

    // MARK: Values

    private static let longest = 1 << 31

    /// Digits only.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? longest, longest)
    }

    /// Some servers omit the quotes, and accept such tags.
    private static func entityTag(_ text: String) -> String? {
        let text = text.trimmingSpaces
        let opaque = text.utf8.dropFirst(text.utf8.starts(with: "W/".utf8) ? 2 : 0)
        // A longer tag than servers accept would make each request fail.
        guard (1...1024).contains(opaque.count), !opaque.elementsEqual("*".utf8),
            opaque.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        let quote = UInt8(ascii: "\"")
        if opaque.count >= 2, opaque.first == quote, opaque.last == quote {
            return opaque.dropFirst().dropLast().contains(quote) ? nil : text
        }
        return opaque.contains { $0 == quote || $0 == UInt8(ascii: ",") } ? nil : text
    }

    /// Arguments may be quoted.
    private static func directives(_ values: [String]) -> [(name: String, argument: String?)] {
        var directives: [(name: String, argument: String?)] = []
        for value in values {
            var isQuoted = false
            let parts = value.utf8.split { byte in
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                return byte == UInt8(ascii: ",") && !isQuoted
            }
            // An unterminated quoted part is dropped.
            for part in isQuoted ? parts.dropLast() : parts[...] {
                let pair = Substring(part).split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
                guard let name = pair.first else { continue }
                let argument = pair.dropFirst().first.map { $0.filter { $0 != "\"" } }
                directives.append((name.lowercased(), argument))
            }
        }
        return directives
    }

    /// By the weak comparison (RFC 9110 §8.8.3.2).
    package static func isSame(_ tag: String, _ other: String) -> Bool {
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return opaque(tag) == opaque(other)
    }
}
