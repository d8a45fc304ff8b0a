#if canImport(SwiftUI)
    public import Foundation
    public import RestfulData
    public import SwiftUI

    extension EnvironmentValues {
        /// The store whose objects (``Store/main``) the views show; `nil` if none was set.
        public var store: Store? {
            get { self[StoreKey.self] }
            set { self[StoreKey.self] = newValue }
        }
    }

    private struct StoreKey: EnvironmentKey {
        static let defaultValue: Store? = nil
    }

    extension View {
        /// Gives a store to the view and its subviews, for `@Fetch` and `@Environment(\.store)`.
        ///
        /// ```swift
        /// WindowGroup { IssueList().store(store) }
        /// ```
        public func store(_ store: Store) -> some View { environment(\.store, store) }

        /// Gives the view a store in memory with the objects of a JSON file, or shows the file's error, for previews.
        ///
        /// ```swift
        /// #Preview { IssueList().previewStore(Issue.self, json: "issues") }
        /// ```
        ///
        /// - Parameters: See ``Store/preview(_:json:in:at:models:conventions:)``.
        @ViewBuilder
        public func previewStore<M: Model>(
            _ type: M.Type, json name: String, in bundle: Bundle = .main, at keyPath: JSONKeyPath? = nil,
            models: [any Model.Type] = [], conventions: APIConventions = .default
        ) -> some View {
            let opened = Result { () throws(StoreError) in
                try Store.preview(
                    type, json: name, in: bundle, at: keyPath, models: models, conventions: conventions)
            }
            switch opened {
            case .success(let store): self.store(store)
            case .failure(let error): Text(verbatim: error.description)
            }
        }
    }
#endif
