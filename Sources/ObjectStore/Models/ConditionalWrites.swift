/// The condition that changes of an object carry. The server refuses a change if it has another version of the object.
///
/// ```swift
/// conventions.conditionalWrites = .entityTags              // If-Match: "v7"
/// ```
///
/// The validator is that of the last reply about the object alone: to a fetch from its own URL, or to its creation or
/// change. A reply to a change without a validator ends the known one; the next change carries no condition then.
/// Replies with lists have none, but for ``attribute(_:)``.
///
/// The condition goes with saves and deletions of the object, unless the call sets such a header itself. The server
/// answers 412 if its version is another one: ``ConflictPolicy`` says what the outbox does then, and a call that sends
/// at once throws the conflict.
public enum ConditionalWrites: Sendable, Hashable {
    /// None.
    case never
    /// `If-Match` with the reply's `ETag` (RFC 9110 §13.1.1). Weak tags (`W/"…"`) can't be used for that and aren't
    /// sent.
    case entityTags
    /// `If-Match` with the reply's `ETag`, weak ones too, for services that compare them as if they were strong:
    /// [FHIR](https://hl7.org/fhir/R4/http.html#concurrency) and
    /// [OData](https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html#sec_HeaderIfMatch).
    case weakEntityTags
    /// `If-Unmodified-Since` with the reply's `Last-Modified` (RFC 9110 §13.1.4), which is exact to a second.
    case modificationDates
    /// `If-Match` with the value of an attribute by its Swift name, as OData has it: `@odata.etag`. A value without
    /// quotes gets them. Lists bring such values too.
    case attribute(String)
}
