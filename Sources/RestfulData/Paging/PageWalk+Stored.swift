import Foundation
import ObjectStore
import RESTTransport

// Finds a stored list whose pages have another size than the requested ones.

extension PageWalk {
    /// Reads all pages of the list from stored pages of another size. It does so only if the policy is offline.
    ///
    /// The server's default page size is unknown, so a caller that wants the first page gets the whole list.
    ///
    /// - Returns: nil for other policies, or if a page is missing.
    nonisolated(nonsending) func storedInOtherSizes(_ pages: Pages) async throws(APIError) -> PageCourse? {
        guard first.policy.kind == .offline, !takesWhatIsStored else { return nil }
        for url in try urlsOfOtherSizes() {
            var walk = self
            walk.first.url = url
            do throws(APIError) {
                return try await walk.fetchAsAsked(pages == .first ? .all() : pages)
            } catch {
                guard case .notStored = error else { throw error }
            }
        }
        return nil
    }

    /// The URLs of stored first pages that differ from the requested URL only in the page size.
    private func urlsOfOtherSizes() throws(APIError) -> [RequestURL] {
        let (api, size) = (first.client.api, first.client.api.conventions.pageSize)
        guard let model = first.model, let own = URL(string: api.requestURL(first.url))?.absoluteString else {
            return []
        }
        let stored: [String]
        do { stored = try first.context.answeredURLs(of: model.table) } catch { throw .store(error) }
        let list = RequestURL(own).ofAnyLength(sizedBy: size)
        // URLs are stored without secrets, so the full URL of such a page is unknown.
        return stored.filter { $0 != own && !$0.contains("REDACTED") }.map { RequestURL($0) }
            .filter { $0.ofAnyLength(sizedBy: size) == list }
    }
}
