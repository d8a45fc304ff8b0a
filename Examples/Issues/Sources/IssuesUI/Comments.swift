import RestfulData
import RestfulDataUI
import SwiftUI

/// A comment, which a swipe deletes.
struct CommentRow: View {
    let comment: Comment
    @State private var problem: APIError?

    var body: some View {
        VStack(alignment: .leading) {
            HStack {
                Text(comment.user?.login ?? "You").font(.caption).foregroundStyle(.secondary)
                Spacer()
                SyncMark(state: comment.syncState)
            }
            Text(comment.body)
        }
        .swipeActions {
            Button("Delete", role: .destructive) { Task { await delete() } }
        }
        .problemAlert($problem)
    }

    private func delete() async {
        do throws(APIError) { try await comment.delete(.queued) } catch { problem.note(error) }
    }
}

/// The field for a new comment.
struct CommentField: View {
    let issue: Issue
    @State private var text = ""
    @State private var problem: APIError?

    var body: some View {
        HStack {
            TextField("Comment", text: $text, axis: .vertical).lineLimit(1...6)
            Button("Send") { Task { await send() } }.disabled(text.isEmpty)
        }
        .problemAlert($problem)
    }

    private func send() async {
        guard let context = issue.context else { return }
        let comment = Comment(in: context)
        comment.body = text
        do throws(APIError) {
            try await issue.$comments.add(comment, .queued)  // POST …/issues/1/comments, as soon as possible
            text = ""
        } catch {
            context.delete(comment)
            problem.note(error)
        }
    }
}
