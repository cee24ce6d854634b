package dev.sharding.internal.sharder.source;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.source.ControlledIndex.Controlled;

/**
 * Records of a {@link ControlledIndex} in blocks of bytes, each found by its address. A
 * namespace is written once for those that follow each other in it, as they do in a list,
 * and the name of a main object only from where it differs from that of its controlled
 * object. What is dropped leaves a hole.
 */
final class RecordBytes {

	private static final int BLOCK = 4096;

	/* A small store is small. */
	private static final int FIRST_BLOCK = 512;

	private static final int ARRAY_HEADER = 16;

	private static final int REFERENCE = 4;

	// Where the parts of a record are.

	private static final int HASH = 4;

	private static final int NAMESPACE = 8;

	private static final int KIND = 12;

	private static final int VERSION = 13;

	private byte[][] blocks = new byte[4][];

	private int count;

	/* Where to go on in the last block. No record has the address 0. */
	private int position = 1;

	private byte[] namespace = {};

	private int namespaceAt;

	/* There are as many as the ring has main resources. */
	private List<String> kinds = new ArrayList<>();

	private long holes;

	/**
	 * Says what a record is looked for by.
	 * @param name of the controlled object
	 */
	Identity identity(ShardingKey main, String name) {
		String kind = main.group() + "/" + main.kind();
		int number = this.kinds.indexOf(kind);
		if (number < 0) {
			this.kinds.add(kind);
			number = this.kinds.size() - 1;
		}
		return new Identity((byte) number, main.namespace().getBytes(StandardCharsets.UTF_8),
				main.name().getBytes(StandardCharsets.UTF_8), name.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Writes a record.
	 * @param next the one that it leads to
	 * @return its address
	 */
	int append(Identity identity, String version, int next) {
		byte[] versionBytes = version.getBytes(StandardCharsets.UTF_8);
		return append(identity, identity.hash(), versionBytes, next);
	}

	private int append(Identity identity, int hash, byte[] version, int next) {
		if (this.namespaceAt == 0 || !Arrays.equals(this.namespace, identity.namespace)) {
			this.namespaceAt = allocate(lengthOf(identity.namespace));
			this.namespace = identity.namespace;
			write(block(this.namespaceAt), offset(this.namespaceAt), identity.namespace);
		}
		byte[] name = identity.name;
		int shared = Arrays.mismatch(name, identity.main);
		shared = (shared < 0) ? name.length : shared;
		byte[] rest = Arrays.copyOfRange(identity.main, shared, identity.main.length);
		int record = allocate(VERSION + lengthOf(version) + lengthOf(name) + lengthOf(shared) + lengthOf(rest));
		byte[] block = block(record);
		int at = offset(record);
		writeInt(block, at, next);
		writeInt(block, at + HASH, hash);
		writeInt(block, at + NAMESPACE, this.namespaceAt);
		block[at + KIND] = identity.kind;
		int end = write(block, at + VERSION, version);
		end = write(block, end, name);
		end = writeNumber(block, end, shared);
		write(block, end, rest);
		return record;
	}

	int next(int record) {
		return readInt(block(record), offset(record));
	}

	void next(int record, int next) {
		writeInt(block(record), offset(record), next);
	}

	int hash(int record) {
		return readInt(block(record), offset(record) + HASH);
	}

	/** Whether it is the record of that very object. */
	boolean is(int record, Identity identity) {
		Part version = new Part(block(record), offset(record) + VERSION);
		return new Part(version.block, version.end).is(identity.name) && isOf(record, identity);
	}

	/** Whether it is the record of an object of that main object. */
	boolean isOf(int record, Identity identity) {
		byte[] block = block(record);
		int at = offset(record);
		if (readInt(block, at + HASH) != identity.hash || block[at + KIND] != identity.kind) {
			return false;
		}
		Part name = new Part(block, new Part(block, at + VERSION).end);
		int shared = readNumber(block, name.end);
		Part rest = new Part(block, name.end + lengthOf(shared));
		byte[] main = identity.main;
		int namespaceAt = readInt(block, at + NAMESPACE);
		return main.length == shared + rest.length
				&& Arrays.equals(main, 0, shared, block, name.start, name.start + shared)
				&& Arrays.equals(main, shared, main.length, block, rest.start, rest.end)
				&& new Part(block(namespaceAt), offset(namespaceAt)).is(identity.namespace);
	}

	/** Writes a version in place of another, where it is as long. */
	boolean replaceVersion(int record, String version) {
		byte[] bytes = version.getBytes(StandardCharsets.UTF_8);
		Part known = new Part(block(record), offset(record) + VERSION);
		if (known.length != bytes.length) {
			return false;
		}
		System.arraycopy(bytes, 0, known.block, known.start, bytes.length);
		return true;
	}

	Controlled read(int record) {
		Part version = new Part(block(record), offset(record) + VERSION);
		Part name = new Part(version.block, version.end);
		return new Controlled(name.text(), version.text());
	}

	/** Nobody leads to the record any more. */
	void drop(int record) {
		byte[] block = block(record);
		Part name = new Part(block, new Part(block, offset(record) + VERSION).end);
		Part rest = new Part(block, name.end + lengthOf(readNumber(block, name.end)));
		this.holes += rest.end - offset(record);
	}

	/** The bytes that are wasted. */
	long holes() {
		return this.holes;
	}

	/** The memory that is taken. */
	long bytes() {
		long bytes = ARRAY_HEADER + (long) REFERENCE * this.blocks.length;
		for (int i = 0; i < this.count; i++) {
			bytes += ARRAY_HEADER + this.blocks[i].length;
		}
		return bytes;
	}

	/**
	 * Copies records, without holes.
	 * @param records their addresses, which are sorted
	 * @param copied gets the address of each copy
	 */
	RecordBytes copy(int[] records, Copied copied) {
		// In the order in which they came, so that namespaces follow each other.
		Arrays.sort(records);
		RecordBytes copy = new RecordBytes();
		copy.kinds = this.kinds;
		for (int record : records) {
			copied.copied(copy.append(identity(record), hash(record),
					new Part(block(record), offset(record) + VERSION).bytes(), 0), copy);
		}
		return copy;
	}

	private Identity identity(int record) {
		byte[] block = block(record);
		int at = offset(record);
		Part name = new Part(block, new Part(block, at + VERSION).end);
		int shared = readNumber(block, name.end);
		Part rest = new Part(block, name.end + lengthOf(shared));
		byte[] main = Arrays.copyOf(Arrays.copyOfRange(block, name.start, name.start + shared), shared + rest.length);
		System.arraycopy(block, rest.start, main, shared, rest.length);
		int namespaceAt = readInt(block, at + NAMESPACE);
		return new Identity(block[at + KIND], new Part(block(namespaceAt), offset(namespaceAt)).bytes(), main,
				name.bytes());
	}

	private int allocate(int length) {
		if (this.count == 0 || this.position + length > this.blocks[this.count - 1].length) {
			if (this.count == this.blocks.length) {
				this.blocks = Arrays.copyOf(this.blocks, this.count * 2);
			}
			int usual = (this.count == 0) ? FIRST_BLOCK : BLOCK;
			// Names have no bound for some resources.
			int first = (this.count == 0) ? 1 : 0;
			this.blocks[this.count++] = new byte[Math.max(usual, first + length)];
			this.position = first;
		}
		int address = Math.addExact(Math.multiplyExact(this.count - 1, BLOCK), this.position);
		this.position += length;
		return address;
	}

	private byte[] block(int address) {
		return this.blocks[address / BLOCK];
	}

	private static int offset(int address) {
		return address % BLOCK;
	}

	private static int readInt(byte[] block, int at) {
		return (block[at] << 24) | ((block[at + 1] & 0xff) << 16) | ((block[at + 2] & 0xff) << 8)
				| (block[at + 3] & 0xff);
	}

	private static void writeInt(byte[] block, int at, int value) {
		block[at] = (byte) (value >>> 24);
		block[at + 1] = (byte) (value >>> 16);
		block[at + 2] = (byte) (value >>> 8);
		block[at + 3] = (byte) value;
	}

	private static int write(byte[] block, int at, byte[] text) {
		int start = writeNumber(block, at, text.length);
		System.arraycopy(text, 0, block, start, text.length);
		return start + text.length;
	}

	private static int lengthOf(byte[] text) {
		return lengthOf(text.length) + text.length;
	}

	/* Seven bits a byte. */
	private static int lengthOf(int number) {
		int length = 1;
		for (int rest = number >>> 7; rest != 0; rest >>>= 7) {
			length++;
		}
		return length;
	}

	private static int writeNumber(byte[] block, int at, int number) {
		int next = at;
		int rest = number;
		while (rest > 0x7f) {
			block[next++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		block[next++] = (byte) rest;
		return next;
	}

	private static int readNumber(byte[] block, int at) {
		int number = 0;
		int next = at;
		int shift = 0;
		while ((block[next] & 0x80) != 0) {
			number |= (block[next++] & 0x7f) << shift;
			shift += 7;
		}
		return number | (block[next] << shift);
	}

	/**
	 * Gets a record that was copied.
	 */
	interface Copied {

		void copied(int record, RecordBytes to);

	}

	/**
	 * What a record is looked for by.
	 */
	static final class Identity {

		private final byte kind;

		private final byte[] namespace;

		private final byte[] main;

		private final byte[] name;

		private final int hash;

		private Identity(byte kind, byte[] namespace, byte[] main, byte[] name) {
			this.kind = kind;
			this.namespace = namespace;
			this.main = main;
			this.name = name;
			int mixed = (31 * (31 * Arrays.hashCode(main) + Arrays.hashCode(namespace)) + kind) * 0x9E3779B9;
			this.hash = mixed ^ (mixed >>> 16);
		}

		int hash() {
			return this.hash;
		}

	}

	/**
	 * A text in a block, after its length.
	 */
	private static final class Part {

		private final byte[] block;

		private final int start;

		private final int length;

		private final int end;

		private Part(byte[] block, int at) {
			this.block = block;
			this.length = readNumber(block, at);
			this.start = at + lengthOf(this.length);
			this.end = this.start + this.length;
		}

		private boolean is(byte[] text) {
			return Arrays.equals(this.block, this.start, this.end, text, 0, text.length);
		}

		private byte[] bytes() {
			return Arrays.copyOfRange(this.block, this.start, this.end);
		}

		private String text() {
			return new String(this.block, this.start, this.length, StandardCharsets.UTF_8);
		}

	}

}
