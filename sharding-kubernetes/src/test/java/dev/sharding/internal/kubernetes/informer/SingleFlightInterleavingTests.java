package dev.sharding.internal.kubernetes.informer;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.kubernetes.Interleavings.assertFaultIsFound;
import static dev.sharding.internal.kubernetes.Interleavings.check;
import static dev.sharding.internal.kubernetes.Interleavings.play;
import static dev.sharding.internal.kubernetes.Interleavings.together;

/**
 * What is shared began after each of those who get it asked, one flight at a time, and
 * nobody is left behind.
 */
@Tag("long")
class SingleFlightInterleavingTests {

	@Test
	void nobodyGetsWhatIsOlderThanItsCall() {
		play(() -> {
			Server server = new Server();
			SingleFlight<Integer> flights = new SingleFlight<>(server::ask);
			Runnable reader = () -> {
				int written = server.write();
				CompletableFuture<Integer> seat = flights.join();
				server.answer(0);
				check(seat.join() >= written, "older than the call");
			};
			together(reader::run, reader::run);
			check(server.most.get() == 1, "two under way");
		});
	}

	@Test
	void whoLeavesKeepsNobodyWaiting() {
		play(() -> {
			Server server = new Server();
			SingleFlight<Integer> flights = new SingleFlight<>(server::ask);
			together(() -> {
				flights.join().cancel(false);
				server.answer(1);
			}, () -> {
				// What only the other asked for is never answered.
				int written = server.write();
				CompletableFuture<Integer> seat = flights.join();
				server.answer(written);
				check(seat.join() == written, "older than the call");
			});
			CompletableFuture<Integer> last = flights.join();
			server.answer(1);
			check(last.isDone(), "left behind");
		});
	}

	@Test
	void whoComesWhileItClosesIsNotLeftWaiting() {
		play(() -> {
			Server server = new Server();
			SingleFlight<Integer> flights = new SingleFlight<>(server::ask);
			AtomicReference<CompletableFuture<Integer>> seat = new AtomicReference<>();
			together(() -> seat.set(flights.join()), flights::close);
			check(seat.get().isCompletedExceptionally(), "waits for what is closed");
			Question asked = server.questions.poll();
			check(asked == null || asked.answer().isCancelled(), "work that nobody wants goes on");
		});
	}

	@Test
	void aFlightThatWhoComesLateMayBoardIsFound() {
		assertFaultIsFound(() -> {
			Server server = new Server();
			BoardedTooLate flights = new BoardedTooLate(server::ask);
			Runnable reader = () -> {
				int written = server.write();
				CompletableFuture<Integer> seat = flights.join();
				server.answer(0);
				check(seat.join() >= written, "older than the call");
			};
			together(reader::run, reader::run);
		});
	}

	/** Its answers are as new as the question, and come when somebody sends them. */
	private static final class Server {

		private final AtomicInteger written = new AtomicInteger();

		private final AtomicInteger underWay = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private final Queue<Question> questions = new ConcurrentLinkedQueue<>();

		int write() {
			return this.written.incrementAndGet();
		}

		CompletableFuture<Integer> ask() {
			this.most.accumulateAndGet(this.underWay.incrementAndGet(), Math::max);
			Question question = new Question(this.written.get(), new CompletableFuture<>());
			this.questions.add(question);
			return question.answer();
		}

		/** Answers what was asked after so many writes, also what is asked meanwhile. */
		void answer(int since) {
			Question question = this.questions.poll();
			while (question != null) {
				if (question.written() >= since) {
					this.underWay.decrementAndGet();
					question.answer().complete(question.written());
				}
				question = this.questions.poll();
			}
		}

	}

	private record Question(int written, CompletableFuture<Integer> answer) {
	}

	/** A usual mistake: looks whether a flight is under way, and joins that one. */
	private static final class BoardedTooLate {

		private final Supplier<CompletableFuture<Integer>> work;

		private final AtomicReference<CompletableFuture<Integer>> current = new AtomicReference<>();

		BoardedTooLate(Supplier<CompletableFuture<Integer>> work) {
			this.work = work;
		}

		CompletableFuture<Integer> join() {
			CompletableFuture<Integer> present = this.current.get();
			if (present != null && !present.isDone()) {
				return present;
			}
			CompletableFuture<Integer> begun = this.work.get();
			this.current.set(begun);
			return begun;
		}

	}

}
