/// The condition that changes of an object carry. The server refuses a change if it has another version of the object.
///
/// ```swift
/// conventions.conditionalWrites = .entityTags              // If-Match: "v7"
/// ```
///
/// The condition has the validator of the last reply about this object alone: the reply to a fetch from its own URL, to
/// its creation, or to a change. If the reply to a change lacks a validator, the next change is unconditional. In
/// replies with lists, only ``attribute(_:)`` finds validators.
///
/// Saves and deletions of the object carry the condition, unless the call sets such a header field itself. The server
/// answers 412 if it has another version. The outbox then applies ``ConflictPolicy``. A call that sends at once throws
/// the conflict.
public enum ConditionalWrites: Sendable, Hashable {
    /// No condition.
    case never
    /// `If-Match` with the reply's `ETag` (RFC 9110 §13.1.1). Weak tags (`W/"…"`) are unsuitable for it and aren't
    /// sent.
    case entityTags
    /// `If-Match` with the reply's `ETag`, including weak tags, for services that compare them like strong ones:
    /// [FHIR](https://hl7.org/fhir/R4/http.html#concurrency) and
    /// [OData](https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html#sec_HeaderIfMatch).
    case weakEntityTags
    /// `If-Unmodified-Since` with the reply's `Last-Modified` (RFC 9110 §13.1.4), which is exact to a second.
    case modificationDates
    /// `If-Match` with the value of an attribute, by its Swift name, such as `@odata.etag` of OData. Quotes are added
    /// if necessary. Replies with lists have such values, too.
    case attribute(String)
}
