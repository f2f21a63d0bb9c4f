"""When is a page worth another visit?"""
