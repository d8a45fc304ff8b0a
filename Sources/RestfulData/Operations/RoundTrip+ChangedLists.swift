import HTTPTypes
import ObjectStore

extension Reply {
    /// Whether the body is a list. A 202's is about the accepted work.
    var isChangedList: Bool { hasBody && isList && !isAccepted }

    /// Whether the body is the changed list with all of its members, each with its identity.
    func hasAllMembers(of list: List, in schema: Schema) -> Bool {
        guard isChangedList, list.options.merges != true, nextPage?.isCertain != true, let model,
            let part = model.identity.last(where: { model[$0].link == nil }).map({ model[$0] })
        else { return false }
        var reader = ObjectReader(schema)
        guard
            let members = try? reader.list(
                [part.index], in: body, at: documentKeyPath, within: elementPath, of: model),
            members.allSatisfy({ $0?.attributes[part.name]?.isNull == false })
        else { return false }
        var signs = signs
        // An empty page must follow fetched pages only.
        signs.endsEmpty = false
        return list.options.merges == false || signs.areOfWhole(PageSigns.Extent(elements: members.count))
    }
}

extension RoundTrip {
    /// A query, a header field, or the body of a DELETE may select a part of the list.
    var isOfWholeList: Bool {
        call.query.isEmpty && !call.narrowsLists(at: client) && !(method == .delete && call.body != nil)
    }

    /// The JSON to import: the list in the reply, or else JSON made of the rows sent.
    ///
    /// - Parameters:
    ///   - reply: nil if a list in the reply is a part, or has another meaning, such as the deleted objects.
    ///   - request: the import, with the membership.
    ///   - made: the JSON of the rows sent: accepted values in the store's own spelling.
    func changedList(
        in reply: Reply?, as request: ImportRequest, or made: () throws(APIError) -> [UInt8]
    ) throws(APIError) -> (body: [UInt8], request: ImportRequest) {
        var request = request
        guard let reply, reply.isChangedList else {
            (request.isOfParts, request.teachesShapes) = (true, false)
            return (try made(), request)
        }
        (request.keyPath, request.elementPath) = (reply.keyPath, reply.elementPath)
        request.membership?.signs = reply.signs
        request.isOfParts = asksForParts
        return (reply.body, request)
    }
}
