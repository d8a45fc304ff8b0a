/// A timeout for what comes soon on an idle machine and late on a busy one, where no timeout is what is tested.
package let patience = Duration.seconds(600)
