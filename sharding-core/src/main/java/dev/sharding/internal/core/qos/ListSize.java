package dev.sharding.internal.core.qos;

import java.util.Map;

import dev.sharding.qos.spi.RequestTarget;

/**
 * How much a list makes the API server read, whatever it returns: a selector is compared
 * with all objects, and a page size above their number is none.
 *
 * @param pageSize objects in a page, infinite for all
 * @param selects whether objects are selected by labels or fields
 * @param single whether the one object of a name in a namespace is read
 */
public record ListSize(double pageSize, boolean selects, boolean single) {

	private static final String NAME = "metadata.name=";

	/*
	 * Of 6,000 objects of 1 KiB: 48 ms instead of 182. The server reads all of them, and
	 * encodes less; of larger objects it spares more.
	 */
	private static final double METADATA_SHARE = 0.25;

	/**
	 * Reads the query of a list.
	 * @param target what it is about
	 * @param query the decoded query
	 * @return its size
	 */
	public static ListSize ofList(RequestTarget target, Map<String, String> query) {
		// From its memory the server serves all, whatever page size is asked for.
		boolean paged = !"0".equals(query.get("resourceVersion"));
		return of(target, query, paged ? pageSize(query.getOrDefault("limit", "")) : Double.POSITIVE_INFINITY);
	}

	/**
	 * Reads the query of a watch.
	 * @param target what it is about
	 * @param query the decoded query
	 * @return the size of its initial events, which no page size bounds
	 */
	public static ListSize ofWatch(RequestTarget target, Map<String, String> query) {
		return of(target, query, Double.POSITIVE_INFINITY);
	}

	/**
	 * Whether a watch begins with an event for each object there is: those of a streamed
	 * list, and those that begin at no version of their own.
	 * @param query the decoded query of the watch
	 * @return whether it does
	 */
	public static boolean hasInitialEvents(Map<String, String> query) {
		String wanted = query.getOrDefault("sendInitialEvents", "");
		if (!wanted.isEmpty()) {
			return wanted.equals("true") || wanted.equals("1");
		}
		String version = query.getOrDefault("resourceVersion", "");
		return version.isEmpty() || version.equals("0");
	}

	/**
	 * Returns what the server spends on each object that it reads, as a share of what it
	 * spends on one that it returns as it is.
	 * @param accept the media type that is asked for
	 * @return 1, less for objects that are cut down to their metadata
	 */
	public static double itemShare(String accept) {
		return accept.contains("as=PartialObjectMetadata") ? METADATA_SHARE : 1;
	}

	private static ListSize of(RequestTarget target, Map<String, String> query, double pageSize) {
		String fields = query.getOrDefault("fieldSelector", "");
		// Only in a namespace is a name one key: across all the server reads everything.
		boolean single = fields.startsWith(NAME) && fields.length() > NAME.length() && !target.isInNoNamespace();
		return new ListSize(pageSize, !fields.isEmpty() || !query.getOrDefault("labelSelector", "").isEmpty(), single);
	}

	private static double pageSize(String limit) {
		try {
			long size = limit.isEmpty() ? 0 : Long.parseLong(limit);
			return (size > 0) ? size : Double.POSITIVE_INFINITY;
		}
		catch (NumberFormatException ex) {
			return Double.POSITIVE_INFINITY;
		}
	}

	/**
	 * Returns how many objects the server reads for it.
	 * @param count how many there are; {@link Double#NaN} if that is not known
	 * @return objects; {@link Double#NaN} if that is not known
	 */
	public double read(double count) {
		return (this.selects && !this.single) ? count : returned(count);
	}

	/**
	 * Returns how many objects it returns at most.
	 * @param count how many there are; {@link Double#NaN} if that is not known
	 * @return objects; {@link Double#NaN} if that is not known
	 */
	public double returned(double count) {
		return this.single ? Math.min(1, count) : Math.min(this.pageSize, count);
	}

	/**
	 * Returns what stands for the number of objects while nobody could count them.
	 * @param seen objects in earlier answers to the same; {@link Double#NaN} for none
	 * @param unknown what stands for a number of which nothing is known
	 * @return objects
	 */
	public double uncounted(double seen, double unknown) {
		if (Double.isNaN(seen)) {
			return unknown;
		}
		// What was selected, or came in a page, says only that there are as many.
		boolean whole = !this.selects && this.pageSize == Double.POSITIVE_INFINITY;
		return whole ? seen : Math.max(seen, unknown);
	}

}
