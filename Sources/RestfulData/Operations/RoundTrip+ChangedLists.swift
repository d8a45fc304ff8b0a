import HTTPTypes
import ObjectStore

// What a success says about a list that a request has changed: `$labels.add`, `replaceAll`, `updateAll` …

extension Reply {
    /// Whether the body is the list that the request has changed. The body of a 202 is about the work that the server
    /// has accepted.
    var isChangedList: Bool { hasBody && isList && !isAccepted }
}

extension RoundTrip {
    /// Whether the call's settings leave the request about the whole list. A query and a header field may select a part
    /// of it, and so may the body of a DELETE.
    var isOfWholeList: Bool {
        call.query.isEmpty && !call.narrowsLists && !(method == .delete && call.body != nil)
    }

    /// The JSON to import after a change of a list: the list in the reply, or else JSON made of the rows sent.
    ///
    /// - Parameters:
    ///   - reply: nil if a list in the reply has another meaning, such as the deleted objects.
    ///   - request: the import, with the membership.
    ///   - made: the JSON of the rows sent. It has only what the server has accepted, in the store's own spelling.
    func changedList(
        in reply: Reply?, as request: ImportRequest, or made: () throws(APIError) -> [UInt8]
    ) throws(APIError) -> (body: [UInt8], request: ImportRequest) {
        var request = request
        guard let reply, reply.isChangedList else {
            (request.isOfParts, request.teachesShapes) = (true, false)
            request.membership?.isSent = true
            return (try made(), request)
        }
        (request.keyPath, request.elementPath) = (reply.keyPath, reply.elementPath)
        request.membership?.signs = reply.signs
        request.isOfParts = asksForParts
        return (reply.body, request)
    }
}
