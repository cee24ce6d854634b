package dev.sharding.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * The act with slots: replicas that have a slot for a name take over from those that are
 * shards by their own, and are then replaced, one by one, as a Deployment does it.
 */
final class RollOut {

	private static final List<String> REPLICAS = List.of("pod-1", "pod-2", "pod-3");

	private static final Duration START_TIMEOUT = Duration.ofMinutes(4);

	private static final Duration END_TIMEOUT = Duration.ofMinutes(2);

	private final Stage stage;

	private final Cast cast;

	private final Board board;

	private final UnaryOperator<Role> program;

	private final BooleanSupplier settled;

	/**
	 * @param program makes a role one of the shards of this play
	 * @param settled waits until all objects are in their place
	 */
	RollOut(Stage stage, Cast cast, Board board, UnaryOperator<Role> program, BooleanSupplier settled) {
		this.stage = stage;
		this.cast = cast;
		this.board = board;
		this.program = program;
		this.settled = settled;
	}

	/** Three replicas with slots come, and all others leave. */
	String begin() throws IOException {
		List<String> before = List.copyOf(this.cast.shards());
		for (String replica : REPLICAS) {
			this.cast.enterShard(replica(replica));
		}
		this.cast.awaitHeld();
		settle();
		for (String shard : before) {
			leave(shard);
		}
		return "the shards are slots now, whatever their processes are called";
	}

	/** Each replica gets a successor, which stands by until it stops. */
	String play() throws IOException {
		int before = this.board.times().moves();
		long longest = 0;
		for (String replica : REPLICAS) {
			String successor = replica + "b";
			Actor next = this.stage.startShard(replica(successor));
			awaitStandby(next);
			Actor leaving = this.cast.dismiss(replica);
			this.cast.enter(next);
			long start = System.nanoTime();
			leaving.terminate();
			this.cast.awaitHeld();
			longest = Math.max(longest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
			leaving.awaitEnd(END_TIMEOUT);
			settle();
		}
		return "%d objects moved; a slot had its next replica after %s at most"
			.formatted(this.board.times().moves() - before, Text.seconds(longest));
	}

	private void leave(String shard) {
		Actor leaving = this.cast.dismiss(shard);
		leaving.terminate();
		settle();
		leaving.awaitEnd(END_TIMEOUT);
	}

	private void settle() {
		if (!this.settled.getAsBoolean()) {
			throw new IllegalStateException("The objects are not in their places");
		}
	}

	private Role replica(String name) {
		return this.program.apply(Role.of(name))
			.without("SHARDING_SHARD_NAME")
			.with("HOSTNAME", name)
			.with("SHARDING_SLOTS", String.valueOf(REPLICAS.size()))
			.with("SHARDING_SLOT_PREFIX", "slot");
	}

	private void awaitStandby(Actor candidate) {
		Path log = this.stage.logs().resolve(candidate.name() + ".log");
		Waiting.until(candidate.name() + " to stand by", START_TIMEOUT, () -> {
			this.cast.checkAlive();
			if (!candidate.isAlive()) {
				throw new IllegalStateException(candidate.died());
			}
			return says(log, "phase=STANDBY");
		});
	}

	private static boolean says(Path log, String text) {
		try {
			return Files.readString(log, StandardCharsets.UTF_8).contains(text);
		}
		catch (IOException ex) {
			return false;
		}
	}

}
