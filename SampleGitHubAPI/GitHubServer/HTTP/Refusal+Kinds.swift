extension Refusal {
    static let notFound = Refusal(status: 404, message: "Not Found")
    static let labelDoesNotExist = Refusal(status: 404, message: "Label does not exist")
    static let badCredentials = Refusal(status: 401, message: "Bad credentials", documentation: documentationRoot)
    static let requiresAuthentication = Refusal(status: 401, message: "Requires authentication")
    static let malformedURL = Refusal(status: 400, message: "Bad Request", documentation: documentationRoot)
    static let problemsParsingJSON = Refusal(status: 400, message: "Problems parsing JSON")
    static let notAnObject = Refusal(status: 400, message: "Body should be a JSON object")
    static let issuesDisabled = Refusal(status: 410, message: "Issues has been disabled in this repository.")
    static let issueDeleted = Refusal(status: 410, message: "This issue was deleted")
    static let rateLimited = Refusal(
        status: 403, message: "API rate limit exceeded for user ID 583231.",
        documentation: documentationRoot + "/overview/rate-limits-for-the-rest-api")
    static let archived = Refusal(status: 403, message: "Repository was archived so is read-only.")

    static let documentationRoot = "https://docs.github.com/rest"

    static func unsupportedAccept(_ accept: String) -> Refusal {
        Refusal(
            status: 415, message: "Unsupported 'Accept' header: '\(accept)'. Must accept 'application/json'.",
            documentation: "https://docs.github.com/v3/media/")
    }

    static func unsupportedVersion(_ version: String) -> Refusal {
        Refusal(
            status: 400, message: "'\(version)' is not a supported version of the API.",
            documentation: documentationRoot + "/about-the-rest-api/api-versions")
    }

    /// As in `For 'properties/milestone', {…} is not a string.`
    static func wrongType(_ path: String, _ value: JSON, expected: String) -> Refusal {
        let shown = value == .null ? "nil" : value.text
        return Refusal(status: 422, message: "Invalid request.\n\nFor '\(path)', \(shown) is not \(expected).")
    }

    /// For fields of the right type.
    static func validation(_ errors: FieldError...) -> Refusal { validation(errors) }

    static func validation(_ errors: [FieldError]) -> Refusal {
        Refusal(status: 422, message: "Validation Failed", errors: errors)
    }

    /// As GitHub, redirects a renamed repository by 301 for reads, 307 for writes.
    static func moved(to location: String, isWrite: Bool) -> Refusal {
        Refusal(
            status: isWrite ? 307 : 301, message: isWrite ? "Temporary Redirect" : "Moved Permanently",
            headers: [Reply.Header(name: "Location", value: location)], url: location,
            documentation: documentationRoot + "/guides/best-practices-for-using-the-rest-api#follow-redirects")
    }
}

extension Refusal.FieldError {
    static func missing(_ resource: String, _ field: String) -> Self {
        Self(resource: resource, field: field, code: "missing_field")
    }

    static func invalid(_ resource: String, _ field: String, value: JSON? = nil) -> Self {
        Self(value: value, resource: resource, field: field, code: "invalid")
    }

    static func exists(_ resource: String, _ field: String) -> Self {
        Self(resource: resource, field: field, code: "already_exists")
    }
}
