package dev.sharding.internal.core.overlay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

import dev.sharding.internal.core.overlay.ModelInformer.Bookmark;
import dev.sharding.internal.core.overlay.ModelInformer.RelistFinished;
import dev.sharding.internal.core.overlay.ModelInformer.RelistStarted;
import dev.sharding.internal.core.overlay.ModelObject.Field;
import org.jspecify.annotations.Nullable;

/**
 * One run: a script of numbers, each a step of the world, of the informer, of a writer or
 * of a reader, played against the overlay and checked after each step.
 */
final class Interleaving {

	private static final long TICK = 1_000;

	/** Doubts last long enough to meet each other. */
	private static final OverlayLimits PATIENT = limits(20);

	/** Doubts last so short that a relist has to end them. */
	private static final OverlayLimits HASTY = limits(4);

	private static final List<String> KEYS = List.of("x", "y-1", "y-2");

	private static final List<String> WRITERS = List.of("w1", "w2");

	private final ModelServer server = new ModelServer();

	private final ModelInformer informer = new ModelInformer(this.server);

	private final Overlay<String, ModelObject> overlay;

	private final ReadChecker reads = new ReadChecker(this.server);

	private final DeliveryChecker deliveries = new DeliveryChecker(this.server, WRITERS);

	private final List<ModelWrite> sent = new ArrayList<>();

	private final List<ModelWrite> answered = new ArrayList<>();

	private final List<SlowRead> slowReads = new ArrayList<>();

	/**
	 * Lost creates whose names nobody was told. The first list that names such a doubt
	 * decides: what it finds must show from then on; what it does not find, as it was
	 * never made or left the scope, is nobody's write any more, even if it comes back.
	 */
	private final List<ModelWrite> unnamed = new ArrayList<>();

	private @Nullable Probe probe;

	private @Nullable ModelAnswer answer;

	private @Nullable ModelWrite lost;

	private final List<Long> settled = new ArrayList<>();

	/** Up to here the overlay was told everything. */
	private long delivered;

	/** Whether answers often get lost, and reads are rare, so that doubts pile up. */
	private final boolean doubtful;

	/** Whether time passes so fast that what is stuck comes to its relist. */
	private final boolean hasty;

	private boolean relisting;

	private int doubts;

	private long now;

	private Interleaving(boolean doubtful, boolean hasty) {
		this.doubtful = doubtful;
		this.hasty = hasty;
		this.overlay = new Overlay<>(ModelObject.ACCESS, hasty ? HASTY : PATIENT);
	}

	private static OverlayLimits limits(long stuckTicks) {
		return new OverlayLimits(Duration.ofNanos(3 * TICK), Duration.ofNanos(TICK),
				Duration.ofNanos(stuckTicks * TICK), 64);
	}

	/**
	 * Plays {@code script}.
	 * @throws AssertionError at the first read or delivery that breaks a contract
	 */
	static void play(int[] script) {
		Interleaving run = new Interleaving(script.length % 2 == 1, script.length % 4 >= 2);
		for (int number : script) {
			run.now++;
			run.step(number);
			if (!run.doubtful || number % 7 == 0 || run.overlay.question() == null) {
				run.readAll();
			}
			run.check(!run.settled.isEmpty() || run.overlay.status(run.now).awaited() == 0,
					() -> "an echo is awaited that has passed");
			run.check(!run.sent.isEmpty() || !run.answered.isEmpty() || run.overlay.status(run.now).held() == 0,
					() -> "held though nothing is in flight");
		}
		run.end();
	}

	private void step(int number) {
		int operation = number % 24;
		int choice = number / 24;
		switch (operation) {
			case 0, 1, 2 -> this.informer.watchOne();
			case 3, 4, 5 -> handleOne();
			case 6, 7, 8, 9 -> send(choice);
			case 10, 11, 12 -> answerOne(choice);
			case 13, 14, 15 -> settleOne(choice, this.doubtful ? choice % 3 == 0 : choice % 11 == 3);
			case 16, 17, 18 -> foreign(choice);
			case 19 -> this.informer.bookmark();
			case 20 -> this.informer.startRelist();
			case 21 -> this.informer.finishRelist(choice % 3);
			case 22 -> slowRead(choice);
			default -> {
				tick();
				if (this.hasty) {
					tick();
				}
			}
		}
	}

	private void foreign(int choice) {
		String key = KEYS.get(choice % 3);
		int value = choice / 3 % 5;
		switch (choice / 15 % 9) {
			case 0 -> this.server.create(key, value != 0, value, value == 1, "foreign");
			case 1, 2 -> this.server.patch(key, null, Field.A, value, "foreign");
			case 3 -> this.server.patch(key, null, Field.B, value, "foreign");
			case 4 -> this.server.patch(key, null, Field.SCOPE, value % 2, "foreign");
			case 5 -> this.server.patch(key, null, Field.FINALIZER, value % 2, "foreign");
			case 6 -> this.server.delete(key, null, "foreign");
			case 7 -> {
				this.server.patch(key, null, Field.SCOPE, 0, "foreign");
				this.server.patch(key, null, Field.SCOPE, 1, "foreign");
			}
			default -> {
				this.server.delete(key, null, "foreign");
				this.server.create(key, value != 0, value, false, "foreign");
			}
		}
	}

	private void send(int choice) {
		if (this.doubtful && this.lost != null && choice % 5 < 2) {
			tryAgain(choice);
			return;
		}
		send(ModelWrite.of(choice, KEYS, WRITERS, this::seen));
	}

	private void send(ModelWrite write) {
		write.id = this.overlay.sent(write.asOwnWrite(), this.now);
		this.sent.add(write);
	}

	private void answerOne(int choice) {
		if (!this.sent.isEmpty()) {
			ModelWrite write = this.sent.remove(choice % this.sent.size());
			write.sendTo(this.server);
			this.answered.add(write);
		}
	}

	private void settleOne(int choice, boolean lose) {
		if (lose && choice % 2 == 0 && !this.sent.isEmpty()) {
			// The request is lost, or still on its way: the server may get to it later.
			ModelWrite write = this.sent.get(choice % this.sent.size());
			this.sent.remove(write);
			unknown(write);
			if (choice % 4 == 0) {
				write.sendTo(this.server);
			}
		}
		else if (!this.answered.isEmpty()) {
			ModelWrite write = this.answered.remove(choice % this.answered.size());
			if (lose) {
				unknown(write);
			}
			else {
				settle(write);
			}
		}
	}

	private void unknown(ModelWrite write) {
		this.doubts++;
		this.deliveries.mayRelease(null);
		this.deliveries.emitted(this.overlay.outcomeUnknown(write.id, this.now));
		write.doubt = this.overlay.mark();
		if (write.happenedToKnownKey()) {
			this.reads.writeReturned(write.answer().object().key(), write.committed());
		}
		else if (write.happened()) {
			this.unnamed.add(write);
		}
		this.lost = write;
	}

	/** Whoever learns nothing of a write tries it again, and may learn as little. */
	private void tryAgain(int choice) {
		ModelWrite write = Objects.requireNonNull(this.lost).again();
		send(write);
		if (choice % 4 != 0) {
			this.sent.remove(write);
			if (choice % 4 != 1) {
				write.sendTo(this.server);
			}
			unknown(write);
		}
	}

	private void settle(ModelWrite write) {
		ModelServer.Answer answer = write.answer();
		if (answer.refused()) {
			this.deliveries.emitted(this.overlay.failed(write.id));
			return;
		}
		ModelObject object = answer.object();
		if (answer.gone()) {
			this.doubts += write.isBlind() ? 1 : 0;
			this.overlay.deleted(write.id, object.uid(), this.now);
		}
		else {
			write.tell(this.deliveries);
			if (object.number() > this.delivered) {
				this.settled.add(object.number());
			}
			this.deliveries.emitted(this.overlay.returned(write.id, object, this.now));
		}
		this.reads.writeReturned(object.key(), write.committed());
	}

	private void handleOne() {
		Object next = this.informer.queue().poll();
		if (next instanceof RelistStarted) {
			this.relisting = true;
			this.overlay.relistStarted();
			this.deliveries.relistStarted();
		}
		else if (next instanceof RelistFinished finished) {
			this.relisting = false;
			this.overlay.relistFinished(finished.version());
			deliveredUpTo(finished.version());
			this.deliveries.relistFinished(Long.parseLong(finished.version()));
		}
		else if (next instanceof Bookmark bookmark) {
			this.overlay.bookmark(bookmark.version());
			deliveredUpTo(bookmark.version());
		}
		else if (next instanceof Refreshed refreshed) {
			this.overlay.refreshed(refreshed.writes());
			decide((write) -> refreshed.writes().contains(write.doubt),
					(write) -> ModelAnswer.shows(refreshed.found(), write));
		}
		else if (next != null) {
			event(next);
		}
	}

	@SuppressWarnings("unchecked")
	private void event(Object next) {
		ObservedEvent<ModelObject> event = (ObservedEvent<ModelObject>) next;
		this.deliveries.event(event);
		this.deliveries.emitted(this.overlay.event(event, this.now));
		this.deliveries.everythingReachesTheObserver();
		if (!this.relisting) {
			deliveredUpTo(event.object().version());
		}
	}

	private void deliveredUpTo(String version) {
		this.delivered = Long.parseLong(version);
		this.settled.removeIf((each) -> each <= this.delivered);
	}

	/** The shell asks for a version when told to, and the answer takes its time. */
	private void tick() {
		this.now += TICK;
		OverlayTick<String, ModelObject> due = this.overlay.tick(this.now);
		if (!due.emissions().isEmpty()) {
			this.deliveries.mayRelease(null);
			this.deliveries.emitted(due.emissions());
		}
		if (this.answer != null) {
			tell(this.answer);
			this.answer = null;
		}
		else if (!due.doubts().isEmpty()) {
			check(this.doubts > 0, () -> "the server is asked though no write is in doubt");
			this.answer = ModelAnswer.of(Objects.requireNonNull(this.overlay.question()), this.server);
		}
		if (this.probe != null) {
			this.overlay.covered(this.probe.writes(), this.probe.version());
			this.probe = null;
		}
		else if (!due.uncovered().isEmpty()) {
			this.probe = new Probe(due.uncovered(), Long.toString(this.server.version()));
		}
		if (!due.stuck().isEmpty()) {
			this.informer.startRelist();
			this.informer.finishRelist(0);
			this.informer.queue().add(new Refreshed(due.stuck(), List.copyOf(this.informer.store().values())));
		}
	}

	private @Nullable ModelObject seen(String key) {
		Correction<String, ModelObject> correction = this.overlay.correction(key, this.overlay.mark());
		if (correction == null) {
			return this.informer.store().get(key);
		}
		Sight<String, ModelObject> sight = correction.apply(this.informer.store().get(key), this.informer.watermark());
		if (sight instanceof Sight.Known<String, ModelObject> known) {
			return known.result();
		}
		askServer();
		return seen(key);
	}

	/** Asks what the overlay wants to be asked, and tells the answer at once. */
	private void askServer() {
		check(this.doubts > 0, () -> "the server is asked though no write is in doubt");
		DoubtQuestion<String> question = this.overlay.question();
		check(question != null, () -> "a reader is in doubt, and nothing is to be asked");
		tell(ModelAnswer.of(question, this.server));
	}

	private void tell(ModelAnswer told) {
		told.tell(this.overlay, this.now);
		decide(told::isAbout, told::shows);
	}

	private void decide(Predicate<ModelWrite> about, Predicate<ModelWrite> shows) {
		this.unnamed.removeIf((write) -> {
			if (about.test(write) && shows.test(write)) {
				this.reads.writeReturned(write.answer().object().key(), write.committed());
			}
			return about.test(write);
		});
	}

	private void readAll() {
		for (String key : KEYS) {
			this.reads.read(key, seen(key));
		}
		Map<String, ModelObject> listed = list(this.overlay.view(this.overlay.mark()), this.overlay.mark());
		for (String key : KEYS) {
			this.reads.read(key, listed.get(key));
		}
	}

	/** Two lists by index, as it were, which together show all. */
	private Map<String, ModelObject> list(ReadView<String, ModelObject> view, long mark) {
		Map<String, ModelObject> listed = new HashMap<>();
		if (list(view, (each) -> each.a() < 2, listed) && list(view, (each) -> each.a() >= 2, listed)) {
			return listed;
		}
		return list(this.overlay.view(mark), mark);
	}

	private boolean list(ReadView<String, ModelObject> view, Predicate<ModelObject> predicate,
			Map<String, ModelObject> listed) {
		Collection<ModelObject> matches = new ArrayList<>();
		for (ModelObject object : this.informer.store().values()) {
			if (predicate.test(object)) {
				matches.add(object);
			}
		}
		Sight<String, Collection<ModelObject>> sight = view.list(matches, predicate, this.informer.store()::get,
				this.informer.watermark());
		if (sight instanceof Sight.AskServer<String, Collection<ModelObject>> ask) {
			check(!ask.writes().isEmpty(), () -> "in doubt of nothing");
			if (this.overlay.question() != null) {
				askServer();
			}
			return false;
		}
		((Sight.Known<String, Collection<ModelObject>>) sight).result()
			.forEach((each) -> check(listed.put(each.key(), each) == null, () -> "listed twice: " + each));
		return true;
	}

	/** A reader that takes the corrections, is suspended, and then reads the store. */
	private void slowRead(int choice) {
		if (choice % 3 == 0) {
			this.slowReads
				.add(new SlowRead(this.overlay.view(this.overlay.mark()), this.overlay.mark(), this.reads.floors()));
		}
		else if (!this.slowReads.isEmpty()) {
			SlowRead read = this.slowReads.remove(choice % this.slowReads.size());
			Map<String, ModelObject> listed = list((choice % 2 == 0) ? read.view() : this.overlay.view(read.mark()),
					read.mark());
			KEYS.forEach((key) -> this.reads.read(key, listed.get(key), read.floors()));
		}
	}

	/** All that is on the way arrives, then nothing may be left. */
	private void end() {
		this.slowReads.clear();
		while (!this.sent.isEmpty()) {
			answerOne(0);
		}
		while (!this.answered.isEmpty()) {
			settleOne(0, false);
		}
		check(this.overlay.status(this.now).held() == 0, () -> "held though all writes are settled");
		for (int round = 0; round < 4; round++) {
			if (this.now % 2 == 0) {
				this.informer.startRelist();
			}
			this.informer.finishRelist(0);
			while (this.informer.behind()) {
				this.informer.watchOne();
			}
			if (this.now % 2 == 1) {
				this.informer.bookmark();
			}
			while (!this.informer.queue().isEmpty()) {
				handleOne();
				readAll();
			}
			if (round == 0) {
				check(this.overlay.status(this.now).awaited() == 0, () -> "an echo is awaited that has passed");
			}
			tick();
		}
		this.deliveries.atTheEnd();
		check(this.overlay.status(this.now).isEmpty(), () -> "left at rest: " + this.overlay.status(this.now));
		check(this.overlay.correctsNothing(), () -> "corrected at rest");
	}

	private void check(boolean condition, Supplier<String> message) {
		if (!condition) {
			throw new AssertionError(message.get());
		}
	}

	private record Probe(Set<Long> writes, String version) {
	}

	/** Which writes a relist was for, and what it found. */
	private record Refreshed(Set<Long> writes, List<ModelObject> found) {
	}

	private record SlowRead(ReadView<String, ModelObject> view, long mark, Map<String, Long> floors) {
	}

}
