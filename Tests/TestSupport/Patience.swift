/// A timeout for events that are early on an idle machine and late on a busy one, where the timeout itself isn't
/// tested.
package let patience = Duration.seconds(600)
