/// The condition that saves and deletions of an object carry, unless the call sets such a header field itself. A server
/// that has another version of the object answers 412. The outbox then applies ``ConflictPolicy``; a call that sends at
/// once throws the conflict.
///
/// ```swift
/// conventions.conditionalWrites = .entityTags              // If-Match: "v7"
/// ```
///
/// The condition has the validator of the last reply about this object alone: to a fetch from its own URL, its
/// creation, or a change. If the reply to a change lacks a validator, the next change is unconditional. In lists, only
/// ``attribute(_:)`` finds validators.
public enum ConditionalWrites: Sendable, Hashable {
    /// No condition.
    case never
    /// `If-Match` with the reply's `ETag` (RFC 9110 §13.1.1), except weak tags (`W/"…"`).
    case entityTags
    /// `If-Match` with the reply's `ETag`, including weak tags, for services that compare them like strong ones:
    /// [FHIR](https://hl7.org/fhir/R4/http.html#concurrency) and
    /// [OData](https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html#sec_HeaderIfMatch).
    case weakEntityTags
    /// `If-Unmodified-Since` with the reply's `Last-Modified` (RFC 9110 §13.1.4), which is exact to a second.
    case modificationDates
    /// `If-Match` with the value of an attribute, by its Swift name, such as `@odata.etag` of OData. Missing quotes are
    /// added.
    case attribute(String)
}
