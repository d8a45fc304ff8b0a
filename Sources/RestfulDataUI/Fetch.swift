#if canImport(SwiftUI)
    public import RestfulData
    public import SwiftUI

    /// The objects of a query in a view, kept up to date with each edit, saved or not, and each commit of anybody. They
    /// are those of the store in the view's environment, live on the main actor.
    ///
    /// ```swift
    /// struct OpenIssues: View {
    ///     @Fetch(Issue.self, where: { $0.state == .open }, order: { $0.number }) private var issues
    ///
    ///     var body: some View {
    ///         List(issues) { issue in Text(issue.title) }
    ///     }
    /// }
    /// ```
    ///
    /// A condition that depends on what the view is given is set where that is:
    ///
    /// ```swift
    /// init(of repository: Repository) {
    ///     _issues = Fetch(Issue.self, where: { $0.repository == repository })
    /// }
    /// ```
    ///
    /// The view is drawn again when it has other objects or another order, and, as objects are observable, when
    /// something that it reads of one is another value. With `sections:` it has a ``LiveSection`` for each value.
    ///
    /// - Complexity: that of ``ObjectQuery/live()``. The query is written down each time that this is read, and asked
    ///   again only where it is another one.
    @propertyWrapper
    public struct Fetch<Element>: DynamicProperty {
        @Environment(\.store) private var store
        @State private var live = LiveFetch<Element>()
        private let model: String
        private let request: (ObjectContext) -> LiveRequest<Element>

        private init<M: Model>(of type: M.Type, _ request: @escaping (ObjectContext) -> LiveRequest<Element>) {
            model = "\(type)"
            self.request = request
        }

        /// The objects, or the sections, in the query's order; none where there is no store, or it can't be read.
        @MainActor public var wrappedValue: [Element] { live.elements(of: asked) }

        /// How the fetch went: `$issues.error`.
        @MainActor public var projectedValue: Status {
            _ = live.elements(of: asked)
            return Status(error: live.error)
        }

        /// How a fetch went.
        public struct Status {
            /// Why the objects are not what they should be; `nil` where they are. It is asked again with the next
            /// change.
            public let error: StoreError?
        }

        @MainActor private var asked: LiveRequest<Element> {
            if let store { return request(store.main) }
            return LiveRequest(
                failing: .unanswerable(
                    model: model, reason: "there is no store in the view's environment; give it one with '.store(_:)'"))
        }
    }

    // MARK: - Objects

    extension Fetch {
        /// All objects of a model, or those of what `query` makes of that:
        /// `@Fetch(Issue.self, query: { $0.search("crash").limit(20) })`.
        public init(
            _ type: Element.Type, query: @escaping (ObjectQuery<Element>) -> ObjectQuery<Element> = { $0 }
        ) where Element: Model {
            self.init(of: type) { query($0.query(type)).liveRequest }
        }

        /// Those for which a condition holds.
        public init<C: QueryCondition>(
            _ type: Element.Type, where condition: @escaping (Element.Properties) -> C
        ) where Element: Model, C.Root == Element {
            self.init(type, query: { $0.where(condition) })
        }

        /// All objects, in the order of a value.
        public init<O: QueryExpression>(
            _ type: Element.Type, order: @escaping (Element.Properties) -> O,
            _ direction: ObjectQuery<Element>.Direction = .ascending
        ) where Element: Model, O.Root == Element {
            self.init(type, query: { $0.order(by: order, direction) })
        }

        /// Those for which a condition holds, in the order of a value.
        public init<C: QueryCondition, O: QueryExpression>(
            _ type: Element.Type, where condition: @escaping (Element.Properties) -> C,
            order: @escaping (Element.Properties) -> O, _ direction: ObjectQuery<Element>.Direction = .ascending
        ) where Element: Model, C.Root == Element, O.Root == Element {
            self.init(type, query: { $0.where(condition).order(by: order, direction) })
        }
    }

    // MARK: - Sections

    extension Fetch {
        /// The objects in sections, one for each value that they have, in the order of these values; see
        /// ``ObjectQuery/liveSections(by:_:nils:)``.
        ///
        /// - Parameter query: makes of all objects those that are meant, in the order that they have within a section.
        public init<M: Model, E: QueryExpression>(
            _ type: M.Type, sections value: @escaping (M.Properties) -> E,
            _ direction: ObjectQuery<M>.Direction = .ascending,
            query: @escaping (ObjectQuery<M>) -> ObjectQuery<M> = { $0 }
        ) where Element == LiveSection<M, E.Value>, E.Root == M {
            self.init(of: type) { query($0.query(type)).liveRequest(by: value, direction) }
        }

        /// Those for which a condition holds, in sections.
        public init<M: Model, C: QueryCondition, E: QueryExpression>(
            _ type: M.Type, where condition: @escaping (M.Properties) -> C,
            sections value: @escaping (M.Properties) -> E, _ direction: ObjectQuery<M>.Direction = .ascending
        ) where Element == LiveSection<M, E.Value>, C.Root == M, E.Root == M {
            self.init(type, sections: value, direction, query: { $0.where(condition) })
        }

        /// The objects in sections, one for each object that a link leads to, in the order of something that these
        /// have: `@Fetch(Issue.self, sections: { $0.repository }, sectionOrder: { $0.fullName })`.
        public init<M: Model, L: QueryReference, E: QueryExpression>(
            _ type: M.Type, sections link: @escaping (M.Properties) -> L,
            sectionOrder value: @escaping (L.Destination.Properties) -> E,
            _ direction: ObjectQuery<M>.Direction = .ascending,
            query: @escaping (ObjectQuery<M>) -> ObjectQuery<M> = { $0 }
        ) where Element == LiveSection<M, L.Destination?>, L.Root == M, E.Root == L.Destination {
            self.init(of: type) { query($0.query(type)).liveRequest(by: link, order: value, direction) }
        }
    }
#endif
