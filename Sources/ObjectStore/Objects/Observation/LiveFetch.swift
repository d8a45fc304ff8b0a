/// The live results of a view, made again if the query or its context changes.
package final class LiveFetch<Element> {
    private var question: LiveQuestion?
    private(set) var results: (any ShownResults<Element>)?
    private var failure: StoreError?

    package init() {}

    /// The current elements; empty if the query fails.
    ///
    /// - Complexity: for the same query as before, that of making its SQL.
    package func elements(of request: LiveRequest<Element>) -> [Element] {
        if results == nil || request.question != question { ask(request) }
        return results?.elements ?? []
    }

    package var error: StoreError? { failure ?? results?.error }

    private func ask(_ request: LiveRequest<Element>) {
        question = request.question
        do {
            results = try request.make()
            failure = nil
        } catch {
            (results, failure) = (nil, error)
        }
    }
}

package struct LiveRequest<Element> {
    fileprivate let question: LiveQuestion?
    fileprivate let make: () throws(StoreError) -> any ShownResults<Element>

    package init(failing error: StoreError) {
        question = nil
        make = { () throws(StoreError) in throw error }
    }

    fileprivate init(
        _ question: LiveQuestion?, _ make: @escaping () throws(StoreError) -> any ShownResults<Element>
    ) {
        self.question = question
        self.make = make
    }
}

extension ObjectQuery {
    package var liveRequest: LiveRequest<M> {
        LiveRequest(LiveQuestion(self)) { () throws(StoreError) in try live() }
    }

    package func liveRequest<E: QueryExpression>(
        by value: (M.Properties) -> E, _ direction: Direction
    ) -> LiveRequest<LiveSection<M, E.Value>> where E.Root == M {
        let value = value(M.properties).queryValue
        let question = LiveQuestion(ordered(by: value.term, direction, nil))
        return LiveRequest(question) { () throws(StoreError) in try liveSections(by: value, direction, nil) }
    }

    package func liveRequest<L: QueryReference, E: QueryExpression>(
        by link: (M.Properties) -> L, order: (L.Destination.Properties) -> E, _ direction: Direction
    ) -> LiveRequest<LiveSection<M, L.Destination?>> where L.Root == M, E.Root == L.Destination {
        let (link, order) = (link(M.properties).queryLink, order(L.Destination.properties).term)
        let linked = order.linked(by: link.path)
        let question = LiveQuestion(ordered(by: link.target, direction, nil).ordered(by: linked, direction, nil))
        return LiveRequest(question) { () throws(StoreError) in
            try liveSections(by: link, order: order, direction, nil)
        }
    }
}

/// Identifies a query by its SQL and values.
private struct LiveQuestion: Equatable {
    private let context: ObjectIdentifier
    private let text: String
    private let parameters: [StoredValue]
    private let search: String?
    private let last: ObjectIdentifier?

    /// Nil for a model that the store doesn't know.
    init?<M: Model>(_ query: ObjectQuery<M>) {
        guard let model = query.ownModel else { return nil }
        var writer = QueryWriter(query.context.schema, unsaved: nil)
        let place = writer.begin(model)
        let end = query.ending(&writer, place, limit: query.limit, offset: query.offset)
        text = "\(writer.source(place))\(end)"
        parameters = writer.parameters
        context = ObjectIdentifier(query.context)
        search = query.search?.expression
        last = query.last.map { ObjectIdentifier($0) }
    }
}

protocol ShownResults<Element>: AnyObject {
    associatedtype Element
    var elements: [Element] { get }
    var error: StoreError? { get }
}

extension LiveResults: ShownResults {
    var elements: [M] { objects }
}

extension LiveSections: ShownResults {
    var elements: [LiveSection<M, Value>] { sections }
}
