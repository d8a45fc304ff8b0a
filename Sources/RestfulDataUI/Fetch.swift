#if canImport(SwiftUI)
    public import RestfulData
    public import SwiftUI

    /// Shows the objects of a query in a view, and updates it after each edit, saved or not, and each commit in any
    /// context.
    ///
    /// The objects are in the main context (``Store/main``) of the store in the view's environment.
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
    /// Set a condition that depends on parameters in the initializer:
    ///
    /// ```swift
    /// init(of repository: Repository) {
    ///     _issues = Fetch(Issue.self, where: { $0.repository == repository })
    /// }
    /// ```
    ///
    /// The view is redrawn when its objects, their order, or a property that it reads change. With `sections:`, it gets
    /// a ``LiveSection`` for each value.
    ///
    /// - Complexity: that of ``ObjectQuery/live()``. A read runs the query only if it has changed.
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

        /// The objects or sections, in the query's order; empty if there is no store or the query fails.
        @MainActor public var wrappedValue: [Element] { live.elements(of: asked) }

        /// The status of the query: `$issues.error`.
        @MainActor public var projectedValue: Status {
            _ = live.elements(of: asked)
            return Status(error: live.error)
        }

        /// The status of a query.
        public struct Status {
            /// The error of the last query, which runs again after the next change; `nil` if it succeeded.
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
        /// Fetches all objects of a model, or those that `query` selects:
        /// `@Fetch(Issue.self, query: { $0.search("crash").limit(20) })`.
        public init(
            _ type: Element.Type, query: @escaping (ObjectQuery<Element>) -> ObjectQuery<Element> = { $0 }
        ) where Element: Model {
            self.init(of: type) { query($0.query(type)).liveRequest }
        }

        /// Fetches the objects that meet a condition.
        public init<C: QueryCondition>(
            _ type: Element.Type, where condition: @escaping (Element.Properties) -> C
        ) where Element: Model, C.Root == Element {
            self.init(type, query: { $0.where(condition) })
        }

        /// Fetches all objects, in the order of a value.
        public init<O: QueryExpression>(
            _ type: Element.Type, order: @escaping (Element.Properties) -> O,
            _ direction: ObjectQuery<Element>.Direction = .ascending
        ) where Element: Model, O.Root == Element {
            self.init(type, query: { $0.order(by: order, direction) })
        }

        /// Fetches the objects that meet a condition, in the order of a value.
        public init<C: QueryCondition, O: QueryExpression>(
            _ type: Element.Type, where condition: @escaping (Element.Properties) -> C,
            order: @escaping (Element.Properties) -> O, _ direction: ObjectQuery<Element>.Direction = .ascending
        ) where Element: Model, C.Root == Element, O.Root == Element {
            self.init(type, query: { $0.where(condition).order(by: order, direction) })
        }
    }

    // MARK: - Sections

    extension Fetch {
        /// Fetches objects in a section for each value, in the order of values
        /// (``ObjectQuery/liveSections(by:_:nils:)``).
        ///
        /// - Parameter query: Selects objects, and orders them within a section.
        public init<M: Model, E: QueryExpression>(
            _ type: M.Type, sections value: @escaping (M.Properties) -> E,
            _ direction: ObjectQuery<M>.Direction = .ascending,
            query: @escaping (ObjectQuery<M>) -> ObjectQuery<M> = { $0 }
        ) where Element == LiveSection<M, E.Value>, E.Root == M {
            self.init(of: type) { query($0.query(type)).liveRequest(by: value, direction) }
        }

        /// Fetches the objects that meet a condition, in sections.
        public init<M: Model, C: QueryCondition, E: QueryExpression>(
            _ type: M.Type, where condition: @escaping (M.Properties) -> C,
            sections value: @escaping (M.Properties) -> E, _ direction: ObjectQuery<M>.Direction = .ascending
        ) where Element == LiveSection<M, E.Value>, C.Root == M, E.Root == M {
            self.init(type, sections: value, direction, query: { $0.where(condition) })
        }

        /// Fetches objects in a section for each target of a link, in the order of a value of the targets:
        /// `@Fetch(Issue.self, sections: { $0.repository }, sectionOrder: { $0.fullName })`.
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
